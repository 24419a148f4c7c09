import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { lockTargetsShared } from '#features/distribution/sync/state-queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { auditPause } from './audit-listing.ts'
import { nextStatus, type ListingStatus } from './channel-listing.ts'
import { findListing, lockListing } from './queries.ts'
import { recordListingEvents } from '#features/distribution/sync/listing-events.ts'

/** Stops all pushes of the listing until it is resumed; its changes wait. @throws NotFound */
export const pauseListing = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    await setStatus(transaction, id, () => 'paused')
    return await findListing(transaction, id)
  })

/** Pushes the changes that waited, and reads the listing back from the PMS. @throws NotFound */
export const resumeListing = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const before = await setStatus(transaction, id, (status) =>
      status === 'paused' ? nextStatus(status, 'active') : status,
    )
    if (before === 'paused') await requestSync(transaction, { listingId: id }, 'reconcile')
  })

/** Returns the previous status. */
async function setStatus(
  transaction: Transaction,
  id: string,
  next: (status: ListingStatus) => ListingStatus,
): Promise<ListingStatus> {
  await lockTargetsShared(transaction, { listingId: id })
  const listing = await lockListing(transaction, id)
  const status = next(listing.status)
  if (status === listing.status) return status
  auditPause(transaction, listing, status)
  const updated = await rows(
    transaction,
    sql<{ json: string }>`
      update channel_listings
      set status = ${status},
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}
      returning json`,
  )
  await recordListingEvents(transaction, 'listing.updated', updated)
  return listing.status
}
