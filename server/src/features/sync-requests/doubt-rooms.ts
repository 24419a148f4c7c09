import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import { requestSync } from './request-sync.ts'

/**
 * The PMS has counted the rooms of a unit by itself: what it took from us says nothing of these nights any more, and
 * the number that is right is pushed, whatever it was before. A push that is under way would keep what it took; so the
 * PMS is read back after it.
 */
export async function doubtRooms(
  transaction: Transaction,
  { targetId, unitId, ...nights }: { targetId: string; unitId: string; from: string; to: string },
): Promise<void> {
  const { orgId } = transaction
  const listing = await first(
    transaction,
    sql<{ id: string }>`select id from channel_listings
      where org_id = ${orgId} and channel_target_id = ${targetId} and unit_id = ${unitId}`,
  )
  if (!listing) return
  // Holds the state of the listing until the transaction ends.
  await requestSync(transaction, { listingIds: [listing.id], nights }, 'change')
  await rows(
    transaction,
    sql`update accepted_months a set nights = jsonb_set(a.nights, '{rooms}', (
        select jsonb_agg(case when a.month + (r.place - 1)::int between ${nights.from}::date and ${nights.to}::date
          then 'null' else r.count end order by r.place)
        from jsonb_array_elements(a.nights -> 'rooms') with ordinality as r (count, place)))
      where a.org_id = ${orgId} and a.channel_listing_id = ${listing.id}
        and a.month between date_trunc('month', ${nights.from}::date) and ${nights.to}::date
        and jsonb_array_length(a.nights -> 'rooms') > 0`,
  )
  const underWay = await first(
    transaction,
    sql`select 1 from listing_syncs
      where org_id = ${orgId} and channel_listing_id = ${listing.id} and status = 'in_progress'`,
  )
  if (underWay) await requestSync(transaction, { listingIds: [listing.id] }, 'webhook')
}
