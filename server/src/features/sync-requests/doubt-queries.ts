import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'

export const listingOf = (transaction: Transaction, targetId: string, unitId: string) =>
  first(
    transaction,
    sql<{ id: string }>`select id from channel_listings
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and unit_id = ${unitId}`,
  )

/** Nothing is known any more of the rooms that the PMS took for these nights. */
export const forgetRooms = (
  transaction: Transaction,
  listingId: string,
  nights: { from: string; to: string },
) =>
  rows(
    transaction,
    sql`update accepted_months a set nights = jsonb_set(a.nights, '{rooms}', (
        select jsonb_agg(case when a.month + (r.place - 1)::int between ${nights.from}::date and ${nights.to}::date
          then 'null' else r.count end order by r.place)
        from jsonb_array_elements(a.nights -> 'rooms') with ordinality as r (count, place)))
      where a.org_id = ${transaction.orgId} and a.channel_listing_id = ${listingId}
        and a.month between date_trunc('month', ${nights.from}::date) and ${nights.to}::date
        and jsonb_array_length(a.nights -> 'rooms') > 0`,
  )

export const isUnderWay = (transaction: Transaction, listingId: string): Promise<boolean> =>
  first(
    transaction,
    sql`select 1 from listing_syncs
      where org_id = ${transaction.orgId} and channel_listing_id = ${listingId} and status = 'in_progress'`,
  ).then((row) => row !== undefined)
