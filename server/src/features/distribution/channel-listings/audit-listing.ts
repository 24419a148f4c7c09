import type { Transaction } from '#db/scope.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import type { ListingStatus } from './channel-listing.ts'

interface Link {
  id: string
  account_id: string
  unit_id: string
  channel_target_id: string
  external_id: string | null
}

/** Records in the sync history who linked or unlinked a unit. */
export const auditLink = (
  transaction: Transaction,
  action: 'listing.linked' | 'listing.unlinked',
  link: Link,
) =>
  audit(
    transaction,
    action,
    link,
    action === 'listing.linked'
      ? { field: 'external_id', before: null, after: link.external_id }
      : { field: 'external_id', before: link.external_id, after: null },
  )

/** Records in the sync history who paused or resumed a listing. */
export function auditPause(
  transaction: Transaction,
  listing: Link & { status: ListingStatus },
  status: ListingStatus,
): void {
  const wasPaused = listing.status === 'paused'
  if (wasPaused === (status === 'paused')) return
  const action = wasPaused ? 'listing.resumed' : 'listing.paused'
  audit(transaction, action, listing, { field: 'status', before: listing.status, after: status })
}

const audit = (
  transaction: Transaction,
  action: string,
  link: Link,
  change: { field: string; before: unknown; after: unknown },
) =>
  addAuditEntries(transaction, [
    {
      account_id: link.account_id,
      channel_listing_id: link.id,
      channel_target_id: link.channel_target_id,
      unit_id: link.unit_id,
      action,
      changes: [change],
    },
  ])
