import type { ReactNode } from 'react'
import { CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LinkProps } from '@tanstack/react-router'

import { useMessages } from '../i18n/language.tsx'
import type { BulkFailure } from './bulk-result.ts'
import { componentMessages } from './component-messages.ts'
import styles from './bulk-failures.module.css'

const maxShown = 10

interface BulkFailuresProps {
  failures: readonly BulkFailure[]
  link: (id: string) => LinkProps
  onClose: () => void
}

/** The records that stayed as they were after a bulk action, each with its reason. */
export const BulkFailures = ({ failures, link, onClose }: BulkFailuresProps) => {
  const text = useMessages(componentMessages)
  if (failures.length === 0) return null
  return (
    <FailureNote onClose={onClose}>
      <strong>{text('notChanged', { count: failures.length })}</strong>
      <ul>
        {failures.slice(0, maxShown).map(({ id, name, reason }) => (
          <li key={id}>
            <Link {...link(id)}>{name}</Link>: {reason}
          </li>
        ))}
        {failures.length > maxShown && <li>{text('andMore', { count: failures.length - maxShown })}</li>}
      </ul>
    </FailureNote>
  )
}

/** What has failed, until it is dismissed. */
export const FailureNote = ({ children, onClose }: { children: ReactNode; onClose: () => void }) => {
  const text = useMessages(componentMessages)
  return (
    <div className={styles.failures} role="alert">
      <div>{children}</div>
      <CloseButton aria-label={text('dismiss')} onClick={onClose} />
    </div>
  )
}
