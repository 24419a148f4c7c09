import { CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'

import { componentMessages } from '../../components/component-messages.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { BulkFailure } from './bulk-actions.tsx'
import { bookingsMessages } from './messages.ts'
import styles from './bookings.module.css'

const maxShown = 10

/** The bookings that stayed as they were after a bulk action, each with its reason. */
export const BulkFailures = ({ failures, onClose }: { failures: BulkFailure[]; onClose: () => void }) => {
  const text = useMessages(bookingsMessages)
  const general = useMessages(componentMessages)
  return (
    <div className={styles.failures} role="alert">
      <div>
        <strong>{text('failedTitle', { count: failures.length })}</strong>
        <ul>
          {failures.slice(0, maxShown).map(({ id, guestName, reason }) => (
            <li key={id}>
              <Link to="/bookings/$bookingId" params={{ bookingId: id }}>
                {guestName}
              </Link>
              : {reason}
            </li>
          ))}
          {failures.length > maxShown && <li>{text('more', { count: failures.length - maxShown })}</li>}
        </ul>
      </div>
      <CloseButton aria-label={general('dismiss')} onClick={onClose} />
    </div>
  )
}
