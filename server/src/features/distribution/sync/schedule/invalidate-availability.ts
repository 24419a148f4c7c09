import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { isPushing } from '#features/distribution/sync/state-queries.ts'
import { requestSync } from './request-sync.ts'

/**
 * Pushes the availability of nights again, because the PMS has changed it itself and what it accepted from us is out of
 * date. A push in progress would record its nights as accepted, so the PMS is read back after it.
 */
export async function invalidateAvailability(
  transaction: Transaction,
  { targetId, unitId, ...nights }: { targetId: string; unitId: string; from: string; to: string },
): Promise<void> {
  const listing = await getListing(transaction, targetId, unitId)
  if (!listing) return
  const listingIds = [listing.id]
  // Locks the sync state of the listing until the transaction ends.
  await requestSync(transaction, { listingIds, nights }, 'change')
  await forgetAcceptedRooms(transaction, listing.id, nights)
  if (await isPushing(transaction, listing.id)) await requestSync(transaction, { listingIds }, 'webhook')
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

/** Forgets the availability that the PMS accepted for these nights. */
const forgetAcceptedRooms = (
  transaction: Transaction,
  listingId: string,
  nights: { from: string; to: string },
) =>
  rows(
    transaction,
    sql`
      update accepted_months accepted
      set nights = jsonb_set(accepted.nights, '{rooms}', (
        select jsonb_agg(
          case
            when accepted.month + day between ${nights.from}::date and ${nights.to}::date then 'null'
            -- What is the same on all days is stored once.
            else coalesce(accepted.nights -> 'rooms' -> day, accepted.nights -> 'rooms' -> 0)
          end
          order by day)
        from generate_series(0, (accepted.month + interval '1 month')::date - accepted.month - 1) as day))
      where accepted.org_id = ${transaction.orgId}
        and accepted.channel_listing_id = ${listingId}
        and accepted.month between date_trunc('month', ${nights.from}::date) and ${nights.to}::date
        and jsonb_array_length(accepted.nights -> 'rooms') > 0`,
  )
