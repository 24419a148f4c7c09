import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'

export type Nights = { readonly date_from: string; readonly date_to: string } | 'all'

/**
 * Has the listings of a target looked at within so many milliseconds, and answers whether any has to be. Those that wait
 * for their verification, or for a push, are looked at with it: no task, which an empty name stands for, tells of
 * foreign changes.
 */
export async function markForCheck(
  transaction: Transaction,
  targetId: string,
  nights: Nights,
  withinMs: number,
): Promise<boolean> {
  const { date_from, date_to } = nights === 'all' ? { date_from: '-infinity', date_to: 'infinity' } : nights
  const soon = sql`clock_timestamp() + make_interval(secs => ${withinMs / 1_000}::float8)`
  const marked = await rows(
    transaction,
    sql`with mine as (
        select channel_listing_id from listing_syncs
        where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and check_at is not null
        order by channel_listing_id for update)
      update listing_syncs s set
        check_at = least(s.check_at, ${soon}),
        tasks = case when s.tasks @> '[""]' then s.tasks else s.tasks || '[""]' end,
        check_from = least(s.check_from, ${date_from}::date),
        check_to = greatest(s.check_to, ${date_to}::date)
      from mine m
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = m.channel_listing_id
        and (s.check_at > ${soon} or s.check_from is not null)
      returning 1`,
  )
  return marked.length > 0
}
