import { sql } from 'kysely'
import { first, type Transaction } from '#db/scope.ts'
import type { Analytics, Part, Period } from './analytics.ts'

const only = ({ account_id, space_id, unit_id }: Part, unit: string, account: string) =>
  sql`${
    account_id ? sql` and ${sql.ref(account)} = ${account_id}` : sql``
  }${unit_id ? sql` and ${sql.ref(unit)} = ${unit_id}` : sql``}${
    space_id
      ? sql` and ${sql.ref(unit)} in (select u.id from units u where u.org_id = current_org() and u.space_id = ${space_id})`
      : sql``
  }`

/** How the listings are now, and how pushes of the period ended; of very many, the latest. */
export async function countSync(
  transaction: Transaction,
  { from, to }: Period,
  part: Part,
  timezone: string,
): Promise<Analytics['sync']> {
  const { orgId } = transaction
  const counted = await first(
    transaction,
    sql<{ now: object; completed: number; failed: number; p95: number | null }>`select * from
      (select json_build_object('listings', count(*), 'in_sync', count(*) filter (where y.wanted_version = y.synced_version and y.unverified_since is null),
          'stale', count(*) filter (where y.stale_since is not null),
          'error', count(*) filter (where y.status = 'failed'),
          'oldest_pending_seconds', floor(extract(epoch from now() - min(y.behind_since)))) as now
        from listing_syncs y join channel_listings l on l.org_id = y.org_id and l.id = y.channel_listing_id
        where y.org_id = ${orgId}${only(part, 'y.unit_id', 'l.account_id')}) a,
      (select count(*) filter (where action = 'sync.completed') as completed,
          count(*) filter (where action = 'sync.failed') as failed,
          percentile_disc(0.95) within group (order by finished_at - started_at) filter (where action = 'sync.completed')
            as latency
        from (select r.action, r.started_at, r.finished_at from sync_audit r
          where r.org_id = ${orgId} and r.action in ('sync.completed', 'sync.failed')
            and r.created_at >= ${from}::date::timestamp at time zone ${timezone}
            and r.created_at < (${to}::date + 1)::timestamp at time zone ${timezone}
            ${only(part, 'r.unit_id', 'r.account_id')}
          order by r.created_at desc limit 100000) r) b,
      lateral (select round(extract(epoch from b.latency) * 1000)::int as p95) c`,
  )
  const { now, completed, failed, p95 } = counted!
  const ended = completed + failed
  return {
    ...(now as Omit<Analytics['sync'], 'jobs' | 'success_rate' | 'p95_latency_ms'>),
    jobs: { completed, failed },
    success_rate: ended === 0 ? null : Math.round((completed / ended) * 10_000) / 10_000,
    p95_latency_ms: p95,
  }
}

/** What PMSs told; a message is of an account, but of no unit. */
export async function countWebhooks(
  transaction: Transaction,
  { from, to }: Period,
  { account_id }: Part,
  timezone: string,
): Promise<Analytics['webhooks']> {
  const counted = await first(
    transaction,
    sql<
      Analytics['webhooks']
    >`select count(*) as received, count(*) filter (where m.status = 'failed') as rejected,
        coalesce(sum(m.copies - 1), 0) as duplicates from webhook_messages m
      where m.org_id = ${transaction.orgId} and m.received_at >= ${from}::date::timestamp at time zone ${timezone}
        and m.received_at < (${to}::date + 1)::timestamp at time zone ${timezone}
        ${account_id ? sql` and m.account_id = ${account_id}` : sql``}`,
  )
  return counted!
}
