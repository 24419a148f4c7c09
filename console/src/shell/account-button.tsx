import { useState } from 'react'
import { UnstyledButton } from '@mantine/core'
import type { Session as Caller } from '@vacancy/client'

import { loadedPart } from '../components/loaded-part.tsx'
import { useMessages } from '../i18n/language.tsx'
import { shellMessages } from './shell-messages.ts'
import styles from './shell.module.css'

const AccountMenu = loadedPart(async () => (await import('./account-menu.tsx')).AccountMenu)

/** Who is signed in; its menu is loaded when it is first opened, because few open it. */
export const AccountButton = ({ caller }: { caller: Caller }) => {
  const text = useMessages(shellMessages)
  const [isOpened, setOpened] = useState(false)
  const name = caller.user.name ?? caller.user.email ?? text('signedIn')
  const content = (
    <>
      <span className={styles.personName}>
        {name}
        <span className="unseen">: {text('accountMenu')}</span>
      </span>
      <span className={styles.initials} aria-hidden="true">
        {initialsOf(name)}
      </span>
    </>
  )
  const button = (
    <UnstyledButton className={styles.person} aria-haspopup="menu" onClick={() => setOpened(true)}>
      {content}
    </UnstyledButton>
  )
  if (!isOpened) return button
  return (
    <AccountMenu caller={caller} name={name} placeholder={button} onMissing={() => setOpened(false)}>
      {content}
    </AccountMenu>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .map(([first = '']) => first)
    .slice(0, 2)
    .join('')
    .toLocaleUpperCase()
