import { Link } from '@tanstack/react-router'
import type { ChannelListing, SyncStatus } from '@vacancy/client'

import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { SyncError } from '../../components/sync-error.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { stateOf } from '../../live/sync-state.ts'
import { SyncButton } from '../listings/sync-button.tsx'
import { portfolioMessages } from './messages.ts'
import styles from './listing-row.module.css'

interface ListingRowProps {
  listing: ChannelListing
  timeZone: string
  status: SyncStatus | undefined
}

/** The live state of one listing of a unit. */
export const ListingRow = ({ listing, timeZone, status }: ListingRowProps) => {
  const text = useMessages(portfolioMessages)
  const state = stateOf(listing, status)
  return (
    <div className={styles.row} data-listing={listing.id} data-state={state ?? 'unknown'}>
      <StateBadge state={state} />
      <Link
        to="/units/listings/$listingId"
        params={{ listingId: listing.id }}
        search={true}
        className={styles.target}
      >
        <span className={styles.name}>{listing.channel_target.name}</span>
        <span className={styles.external}>{listing.external_id}</span>
        <span className="unseen">{text('details')}</span>
      </Link>
      <span className={styles.when}>{status && <When status={status} timeZone={timeZone} />}</span>
      {status?.error_message && (state === 'failed' || state === 'waiting') && (
        <span className={styles.error} data-final={state === 'failed'}>
          <span>
            <SyncError
              code={status.error_code}
              message={status.error_message}
              target={listing.channel_target.name}
            />
          </span>
          {state === 'failed' && <SyncButton listing={listing} label="retry" />}
        </span>
      )}
    </div>
  )
}

const When = ({ status, timeZone }: { status: SyncStatus; timeZone: string }) => {
  const text = useMessages(portfolioMessages)
  if (status.status === 'pending' && status.next_attempt_at && status.attempts > 0)
    return (
      <>
        {text('nextAttempt')} <RelativeTime at={status.next_attempt_at} timeZone={timeZone} />
      </>
    )
  if (status.last_synced_at) return <RelativeTime at={status.last_synced_at} timeZone={timeZone} />
  return <>{text('neverSynced')}</>
}
