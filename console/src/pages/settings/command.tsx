import { useState } from 'react'
import { Button } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

/** A command or a piece of code to copy. */
export const Command = ({ children }: { children: string }) => {
  const text = useMessages(settingsMessages)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(children)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <div className={styles.command}>
      <pre tabIndex={0}>{children}</pre>
      <Button size="compact-sm" variant="default" onClick={() => void copy()}>
        {text(isCopied ? 'copied' : 'copy')}
      </Button>
    </div>
  )
}

/** Says of something that is only read here how it is changed. */
export const ChangedBy = ({ children }: { children: string }) => {
  const text = useMessages(settingsMessages)
  return (
    <>
      <p className={styles.quiet}>{text('changedBy')}</p>
      <Command>{children}</Command>
    </>
  )
}
