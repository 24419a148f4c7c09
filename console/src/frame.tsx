import { Menu, UnstyledButton } from '@mantine/core'
import { Link as Anchor, Outlet } from '@tanstack/react-router'

import { useCaller } from './api.tsx'
import { useSession } from './session.tsx'
import { useSyncStream } from './sync-stream.ts'
import { LinkContext } from './link.ts'
import type { Link } from './link.ts'
import { Mark } from './parts/icons.tsx'
import look from './frame.module.css'

const linkWords: Record<Link, { word: string; why: string }> = {
  connecting: { word: 'Connecting', why: 'Opening the live connection' },
  live: { word: 'Live', why: 'Changes appear here by themselves' },
  polling: { word: 'Every 5 s', why: 'The live connection is down; the page asks every 5 seconds instead' },
  offline: { word: 'Offline', why: 'You are offline; what you see may be out of date' },
}

/** What every page stands in: whose portfolio it is, who is signed in, and whether the line is up. */
export const Frame = () => {
  const link = useSyncStream()
  const { caller } = useCaller()
  return (
    <LinkContext value={link}>
      <a className={look.skip} href="#content">
        Skip to the content
      </a>
      <header className={look.bar}>
        <div className={look.inside}>
          <Anchor to="/" className={look.brand} aria-label="Vacancy, to the portfolio">
            <Mark />
            <span className={look.name}>Vacancy</span>
          </Anchor>
          <span className={look.organization}>{caller?.organization.name}</span>
          <span className={look.link} data-link={link} title={linkWords[link].why}>
            {linkWords[link].word}
          </span>
          {caller ? <Person {...caller.user} role={caller.role} /> : <span className={look.initials} />}
        </div>
      </header>
      <main id="content" className={look.content} tabIndex={-1}>
        <Outlet />
      </main>
    </LinkContext>
  )
}

interface PersonProps {
  name: string | null
  email: string | null
  role: string
}

const Person = ({ name, email, role }: PersonProps) => {
  const { signOut } = useSession()
  const called = name ?? email ?? 'Signed in'
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className={look.person}>
          <span className={look.personName}>
            {called}
            <span className="unseen">: account menu</span>
          </span>
          <span className={look.initials} aria-hidden="true">
            {initialsOf(called)}
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={look.about}>
          <strong>{called}</strong>
          <span>{email}</span>
          <span className={look.role}>{role}</span>
        </div>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .map(([first = '']) => first)
    .slice(0, 2)
    .join('')
    .toLocaleUpperCase()
