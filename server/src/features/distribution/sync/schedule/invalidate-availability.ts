import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { requestSync } from './request-sync.ts'

/**
 * Pushes the availability of nights again, because the PMS has changed it itself and what it accepted from us is out of
 * date, also what a push in progress is about to record.
 */
export async function invalidateAvailability(
  transaction: Transaction,
  { targetId, unitId, ...nights }: { targetId: string; unitId: string; from: string; to: string },
): Promise<void> {
  const listing = await getListing(transaction, targetId, unitId)
  if (!listing) return
  // Locks the sync state of the listing until the transaction ends.
  await requestSync(transaction, { listingIds: [listing.id], nights }, 'change')
  await forgetRooms(transaction, listing.id, nights)
}

const getListing = (transaction: Transaction, targetId: string, unitId: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      select id
      from channel_listings
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and unit_id = ${unitId}`,
  )

/** The availability of these nights is unknown, because the PMS may have changed it itself, also during a push. */
export const forgetRooms = (
  transaction: Transaction,
  listingId: string,
  nights: { from: string; to: string },
) =>
  rows(
    transaction,
    sql`update listing_syncs
      set unconfirmed_ranges = jsonb_build_object(
        'date_from', least(${nights.from}::date, (unconfirmed_ranges ->> 'date_from')::date),
        'date_to', greatest(${nights.to}::date, (unconfirmed_ranges ->> 'date_to')::date),
        'rooms', null,
        'rates', coalesce(unconfirmed_ranges -> 'rates', '[]'))
      where org_id = ${transaction.orgId}
        and channel_listing_id = ${listingId}`,
  )
