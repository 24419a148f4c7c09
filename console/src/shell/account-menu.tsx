import type { ReactNode } from 'react'
import { Menu, UnstyledButton } from '@mantine/core'
import type { Session as Caller } from '@vacancy/client'

import { Check } from '../components/icons.tsx'
import { useLanguage, useMessages } from '../i18n/language.tsx'
import { languages } from '../i18n/messages.ts'
import { useSession } from '../session/session.tsx'
import { shellMessages } from './shell-messages.ts'
import styles from './shell.module.css'

const languageNames = { en: 'English', de: 'Deutsch', pt: 'Português' }

interface AccountMenuProps {
  caller: Caller
  name: string
  /** What is in the button that opens the menu. */
  children: ReactNode
}

/** The person's address and role, the language of the page, and signing out. */
export const AccountMenu = ({ caller: { user, role }, name, children }: AccountMenuProps) => {
  const text = useMessages(shellMessages)
  const { language, choose } = useLanguage()
  const { signOut } = useSession()
  return (
    <Menu position="bottom-end" width={240} shadow="md" defaultOpened>
      <Menu.Target>
        <UnstyledButton className={styles.person}>{children}</UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={styles.about}>
          <strong>{name}</strong>
          <span>{user.email}</span>
          <span className={styles.role}>{role}</span>
        </div>
        <Menu.Divider />
        {languages.map((one) => (
          <Menu.Item
            key={one}
            lang={one}
            aria-current={one === language}
            onClick={() => choose(one)}
            rightSection={one === language && <Check />}
          >
            {languageNames[one]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{text('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
