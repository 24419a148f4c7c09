import { useState } from 'react'
import { Button } from '@mantine/core'

import { componentMessages } from '../../components/component-messages.ts'
import { useMessages } from '../../i18n/language.tsx'
import styles from './feeds.module.css'

/** A text that is given to somebody else, with a button that copies it. */
export const CopyField = ({ label, value }: { label: string; value: string }) => {
  const text = useMessages(componentMessages)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <div className={styles.copy}>
      <input
        readOnly
        aria-label={label}
        value={value}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setCopied(false)}
      />
      <Button size="compact-sm" variant="default" onClick={() => void copy()}>
        {text(isCopied ? 'copied' : 'copy')}
      </Button>
    </div>
  )
}
