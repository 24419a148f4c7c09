import type { ReactNode } from 'react'
import type { ChannelListing, SyncStatus } from '@vacancy/client'

import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { SyncError } from '../../components/sync-error.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { stateOf } from '../../live/sync-state.ts'
import { listingMessages } from './messages.ts'
import { SyncButton } from './sync-button.tsx'
import styles from './listing.module.css'

interface SyncStatusPanelProps {
  listing: ChannelListing
  status: SyncStatus | undefined
  timeZone: string | undefined
}

/** The state of the listing now, and the button that syncs it at once. */
export const SyncStatusPanel = ({ listing, status, timeZone }: SyncStatusPanelProps) => {
  const text = useMessages(listingMessages)
  const unverified = status?.verification === 'pending' && status.pending_changes === 0
  return (
    <section className={styles.panel} aria-label={text('panel')}>
      <div className={styles.now}>
        <StateBadge state={stateOf(listing, status)} />
        <span className={styles.attempts}>
          {status && status.attempts > 0
            ? text('attempts', { count: status.attempts })
            : status?.status === 'pending' && text('notTried')}
        </span>
        <SyncButton listing={listing} label={status?.status === 'failed' ? 'retry' : 'syncNow'} />
      </div>
      {status?.error_message && (status.status === 'failed' || status.status === 'pending') && (
        <p className={styles.error}>
          <SyncError
            code={status.error_code}
            message={status.error_message}
            target={listing.channel_target.name}
          />
        </p>
      )}
      <dl className={styles.facts}>
        <Fact name={text('lastSynced')}>
          {status?.last_synced_at ? <Time at={status.last_synced_at} timeZone={timeZone} /> : text('never')}
        </Fact>
        {status?.next_attempt_at && (
          <Fact name={text('nextAttempt')}>
            <Time at={status.next_attempt_at} timeZone={timeZone} />
          </Fact>
        )}
        <Fact name={text('atPms')}>
          {text(status?.in_sync ? 'inSync' : unverified ? 'acceptedUnverified' : 'behind')}
        </Fact>
      </dl>
    </section>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Time = ({ at, timeZone }: { at: string; timeZone: string | undefined }) => {
  const format = useFormat()
  return (
    <>
      <RelativeTime at={at} timeZone={timeZone} />
      <span className={styles.exact}>{format.dateTime(at, timeZone)}</span>
    </>
  )
}
