import { type Transaction, notifyAfterCommit } from '#db/scope.ts'
import { hasSubscriber, recordEvents } from '#features/messaging/events/record-events.ts'
import type { Push } from './push.ts'
import { sql } from '#db/sql.ts'

/**
 * Records `sync.completed` events only while an endpoint subscribes to them, because they would be most of all
 * events. It costs one query per round when there is no subscriber.
 */
export async function recordCompleted(
  transaction: Transaction,
  targetId: string,
  pushes: readonly Push[],
): Promise<void> {
  if (pushes.length === 0 || !(await hasSubscriber(transaction, 'sync.completed'))) return
  const last_synced_at = new Date().toISOString()
  await recordEvents(
    transaction,
    pushes.map(({ claim }) => ({
      type: 'sync.completed',
      accountId: claim.account_id,
      subjectId: claim.listing_id,
      data: {
        sync_status: {
          channel_listing_id: claim.listing_id,
          channel_target_id: targetId,
          unit_id: claim.unit_id,
          status: 'completed',
          last_synced_at,
        },
      },
    })),
  )
}

/** A notification holds less than 8,000 bytes: the organization and this many listings, 37 bytes each. */
const maxListings = 200

/** Notifies the status streams of all API processes of changed listings, after the commit. */
export function notifyChanged(transaction: Transaction, listingIds: readonly string[]): void {
  for (let at = 0; at < listingIds.length; at += maxListings)
    notifyAfterCommit(
      transaction,
      notifyOfStatuses,
      [transaction.orgId, ...listingIds.slice(at, at + maxListings)].join(' '),
    )
}

const notifyOfStatuses = (payloads: readonly string[]) =>
  sql`select pg_notify('sync', payload) from unnest(${payloads}::text[]) payload`

interface ChangedListing {
  readonly json: string
}

/** Records the event, and notifies the streams, that listings were created, changed or deleted. */
export const recordListingEvents = (
  transaction: Transaction,
  type: 'listing.created' | 'listing.updated' | 'listing.deleted',
  listings: readonly ChangedListing[],
): Promise<void> =>
  recordEvents(
    transaction,
    listings.map(({ json }) => {
      const channel_listing = JSON.parse(json) as { id: string; account_id: string }
      const { id, account_id } = channel_listing
      return { type, accountId: account_id, subjectId: id, data: { channel_listing } }
    }),
  )
