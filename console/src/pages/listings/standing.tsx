import type { ReactNode } from 'react'
import type { ChannelListing, SyncStatus } from '@vacancy/client'

import { Moment, utc } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { stateOf } from '../../parts/sync-state.ts'
import { RetryButton } from './trigger-sync.tsx'
import look from './listing.module.css'

interface StandingProps {
  listing: ChannelListing
  status: SyncStatus | undefined
}

/** Where the listing stands now, and the button to try it now. */
export const Standing = ({ listing, status }: StandingProps) => (
  <section className={look.standing} aria-label="Where it stands">
    <div className={look.now}>
      <StateBadge state={stateOf(listing, status)} />
      <span className={look.attempts}>{status && attemptsOf(status)}</span>
      <RetryButton listing={listing} word={status?.status === 'failed' ? 'Retry' : 'Sync now'} />
    </div>
    {status?.error_message && (status.status === 'failed' || status.status === 'pending') && (
      <p className={look.error}>{status.error_message}</p>
    )}
    <dl className={look.facts}>
      <Fact name="Last synced">
        {status?.last_synced_at ? (
          <>
            <Moment at={status.last_synced_at} />
            <span className={look.exact}>{utc(status.last_synced_at)}</span>
          </>
        ) : (
          'Never'
        )}
      </Fact>
      {status?.next_attempt_at && (
        <Fact name="Next attempt">
          <Moment at={status.next_attempt_at} />
          <span className={look.exact}>{utc(status.next_attempt_at)}</span>
        </Fact>
      )}
      <Fact name="At the PMS">
        {status?.in_sync
          ? 'What we have is what it has'
          : status?.verification === 'pending' && status.pending_changes === 0
            ? 'Has accepted everything; not verified yet'
            : 'Has not everything we have yet'}
      </Fact>
    </dl>
  </section>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={look.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const attemptsOf = ({ attempts, status }: SyncStatus): string => {
  if (attempts === 0) return status === 'pending' ? 'Not tried yet' : ''
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`
}
