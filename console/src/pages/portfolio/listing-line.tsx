import { Link } from '@tanstack/react-router'
import type { ChannelListing, SyncStatus } from '@vacancy/client'

import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RetryButton } from '../listings/trigger-sync.tsx'
import { stateOf } from '../../parts/sync-state.ts'
import look from './listing-line.module.css'

interface ListingLineProps {
  listing: ChannelListing
  status: SyncStatus | undefined
}

/** Where one listing of a unit stands, live. */
export const ListingLine = ({ listing, status }: ListingLineProps) => {
  const state = stateOf(listing, status)
  return (
    <div className={look.line} data-listing={listing.id} data-state={state ?? 'unknown'}>
      <StateBadge state={state} />
      <Link
        to="/listings/$listingId"
        params={{ listingId: listing.id }}
        search={true}
        className={look.target}
      >
        {listing.channel_target.name}
        <span className={look.external}>{listing.external_id}</span>
        <span className="unseen">details</span>
      </Link>
      <span className={look.when}>{status && <When status={status} />}</span>
      {status?.error_message && (state === 'failed' || state === 'waiting') && (
        <span className={look.error} data-final={state === 'failed'}>
          {status.error_message}
          {state === 'failed' && <RetryButton listing={listing} word="Retry" />}
        </span>
      )}
    </div>
  )
}

const When = ({ status }: { status: SyncStatus }) => {
  if (status.status === 'pending' && status.next_attempt_at && status.attempts > 0)
    return <Moment at={status.next_attempt_at} prefix="again " />
  if (status.last_synced_at) return <Moment at={status.last_synced_at} />
  return <>never synced</>
}
