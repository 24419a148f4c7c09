import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'

/** People who ask do not wait for the next probe. */
export const probeAllNow = (transaction: Transaction, targetIds: readonly string[]) =>
  rows(
    transaction,
    sql`update target_syncs g set probe_at = now() from (
        select channel_target_id from target_syncs where org_id = ${transaction.orgId}
          and channel_target_id = any(${targetIds}::uuid[]) and probe_at > now()
        order by channel_target_id for update) late
      where g.org_id = ${transaction.orgId} and g.channel_target_id = late.channel_target_id`,
  )

export const statusOfTarget = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<{ status: string }>`select status from channel_targets
      where org_id = ${transaction.orgId} and id = ${targetId}`,
  ).then((row) => row?.status)

/** How many listings of a space are held; undefined when there is no such space. */
export const heldInSpace = (transaction: Transaction, spaceId: string) =>
  first(
    transaction,
    sql<{ held: number }>`select (select count(*)::int from channel_listings l
        join units u on u.org_id = l.org_id and u.id = l.unit_id
        join channel_targets t on t.org_id = l.org_id and t.id = l.channel_target_id
        where l.org_id = p.org_id and u.space_id = p.id and (l.status = 'paused' or t.status = 'inactive')) as held
      from spaces p where p.org_id = ${transaction.orgId} and p.id = ${spaceId}`,
  ).then((row) => row?.held)
