import { sql } from 'kysely'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { Stored } from '#http/replies.ts'
import { holdTargets } from '../sync-requests/queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { auditPause } from './audit-link.ts'
import { statusAfter, type ListingStatus } from './channel-listing.ts'
import { findListing } from './find-queries.ts'
import { lockListing } from './queries.ts'

/** Nothing more is pushed for the listing until it is resumed; its changes wait. @throws NotFound */
export const pauseListing = (scope: Scope, id: string): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    await setStatus(transaction, id, () => 'paused')
    return await findListing(transaction, id)
  })

/** What waited goes out, and the PMS is read back for what happened to it meanwhile. @throws NotFound */
export const resumeListing = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const before = await setStatus(transaction, id, (status) =>
      status === 'paused' ? statusAfter(status, 'active') : status,
    )
    if (before === 'paused') await requestSync(transaction, { listingId: id }, 'reconcile')
  })

/** Returns the status before. */
async function setStatus(
  transaction: Transaction,
  id: string,
  next: (status: ListingStatus) => ListingStatus,
): Promise<ListingStatus> {
  await holdTargets(transaction, { listingId: id })
  const listing = await lockListing(transaction, id)
  const status = next(listing.status)
  if (status === listing.status) return status
  auditPause(transaction, listing, status)
  await rows(
    transaction,
    sql`update channel_listings set status = ${status}, version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
  return listing.status
}
