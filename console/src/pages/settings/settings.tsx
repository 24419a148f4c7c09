import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation } from '@tanstack/react-router'

import { Page } from '../../components/page.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

const sections = [
  { to: '/settings/organization', label: 'organization', permission: 'organizations:read' },
  { to: '/settings/members', label: 'members', permission: 'organizations:read' },
  { to: '/settings/notifications', label: 'notifications', permission: 'notifications:read' },
  { to: '/settings/webhooks', label: 'webhooks', permission: 'webhooks:read' },
  { to: '/settings/inbox', label: 'inbox', permission: 'webhook_messages:read' },
  { to: '/settings/exports', label: 'exports', permission: 'exports:read' },
  { to: '/settings/guest-data', label: 'guestData', permission: 'guests:read' },
  { to: '/settings/limits', label: 'limits', permission: 'organizations:read' },
  { to: '/settings/developers', label: 'developers', permission: 'organizations:read' },
] as const

/** The settings: their sections beside the one that is open. */
export const Settings = () => {
  const text = useMessages(settingsMessages)
  const { caller, may } = useCaller()
  const nav = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // On a phone the sections are a line that is wider than the screen.
  useEffect(() => {
    const open = nav.current?.querySelector('[data-status="active"]')
    open?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path, caller])
  return (
    <Page title={text('title')}>
      <div className={styles.frame}>
        <nav ref={nav} className={styles.sections} aria-label={text('sections')}>
          {sections
            .filter(({ permission }) => !caller || may(permission))
            .map(({ to, label }) => (
              <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
                {text(label)}
              </Link>
            ))}
        </nav>
        <div className={styles.content}>
          <Outlet />
        </div>
      </div>
    </Page>
  )
}
