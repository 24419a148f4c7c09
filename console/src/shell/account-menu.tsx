import { useId, type ReactNode } from 'react'
import { Menu, UnstyledButton } from '@mantine/core'
import type { Session as Caller } from '@vacancy/client'

import { Check } from '../components/icons.tsx'
import { useOpenAtOnce } from '../components/loaded-part.tsx'
import { useLanguage, useMessages } from '../i18n/language.tsx'
import { languages } from '../i18n/messages.ts'
import { roleMessages } from '../i18n/role-messages.ts'
import { switchOrganization } from '../session/organization.ts'
import { useSession } from '../session/session.tsx'
import { useLeaveQuestion } from './leave-question.tsx'
import { shellMessages } from './shell-messages.ts'
import styles from './shell.module.css'

const languageNames = { en: 'English', de: 'Deutsch', pt: 'Português' }

interface AccountMenuProps {
  caller: Caller
  name: string
  /** What is in the button that opens the menu. */
  children: ReactNode
}

/** The person's address and role, their organizations, the language of the page, and signing out. */
export const AccountMenu = ({ caller, name, children }: AccountMenuProps) => {
  const { user, role, memberships, organization: current } = caller
  const text = useMessages(shellMessages)
  const roleText = useMessages(roleMessages)
  const { language, choose } = useLanguage()
  const { signOut } = useSession()
  const aboutId = useId()
  const { button, isOpen, setOpen } = useOpenAtOnce()
  // The browser would ask when the page has already begun to act for the other organization, or without a session.
  const { ask, question } = useLeaveQuestion()
  const menu = (
    <Menu
      position="bottom-end"
      width={240}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      opened={isOpen}
      onChange={setOpen}
    >
      <Menu.Target>
        <UnstyledButton {...button} className={styles.person}>
          {children}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown aria-labelledby={aboutId} mah="80vh" style={{ overflowY: 'auto' }}>
        {/* A menu contains only items, so this is its name. */}
        <div id={aboutId} className={styles.about} aria-hidden>
          <strong>{name}</strong>
          <span>{user.email}</span>
          <span className={styles.role}>{roleText(role)}</span>
        </div>
        {memberships.length > 1 && <Menu.Divider />}
        {memberships.length > 1 &&
          memberships.map(({ organization: { id, name } }) => (
            <Menu.Item
              key={id}
              aria-current={id === current.id}
              onClick={() => ask(() => switchOrganization(id))}
              rightSection={id === current.id && <Check />}
            >
              {name}
            </Menu.Item>
          ))}
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
        <Menu.Item onClick={() => ask(() => void signOut())}>{text('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
  return (
    <>
      {menu}
      {question}
    </>
  )
}
