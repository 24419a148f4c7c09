import { atomically, type Scope, first, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { dayIn } from '#schema/nights.ts'
import { findSpaceDefaults } from '#features/tenancy/organizations/queries.ts'
import { parsePeriod, type Analytics, type AnalyticsFilter, type Period } from './analytics.ts'
import {
  countBlocked,
  countInventory,
  filterExists,
  groupBookings,
  preparePlanner,
  filterConditions,
} from './queries.ts'
import { summarize } from './summarize.ts'
import { sql } from 'kysely'

/** Reads the figures of the organization or a part of it. @throws NotFound, Invalid */
export const readAnalytics = (scope: Scope, filter: Partial<Period> & AnalyticsFilter): Promise<Analytics> =>
  atomically(scope, async (transaction) => {
    const [{ currency, timezone }, exists] = await Promise.all([
      findSpaceDefaults(transaction),
      filterExists(transaction, filter),
      preparePlanner(transaction),
    ])
    for (const name of ['account_id', 'space_id', 'unit_id'] as const)
      if (!exists[name]) throw new NotFound(name.replace('_id', ''), filter[name]!)
    const period = parsePeriod(filter, dayIn(timezone))
    const [groups, inventory, blocked, sync, webhooks] = await Promise.all([
      groupBookings(transaction, period, filter),
      countInventory(transaction, filter),
      countBlocked(transaction, period, filter),
      countSync(transaction, period, filter, timezone),
      countWebhooks(transaction, period, filter, timezone),
    ])
    return {
      period,
      spaces: { total: inventory.spaces, active: inventory.active_spaces },
      units: { total: inventory.units, active: inventory.active_units },
      ...summarize({
        period,
        currency,
        groups,
        rooms: inventory.rooms,
        blocked: new Map(blocked.map(({ night, rooms }) => [night, rooms])),
      }),
      sync,
      webhooks,
      generated_at: new Date().toISOString(),
    }
  })

/** Counts the listings by their state now, and the pushes that ended in the period: at most the latest 100,000. */
async function countSync(
  transaction: Transaction,
  { from, to }: Period,
  filter: AnalyticsFilter,
  timezone: string,
): Promise<Analytics['sync']> {
  const { orgId } = transaction
  const listingColumns = { account: 'listing.account_id', unit: 'sync.unit_id' }
  const auditColumns = { account: 'audit.account_id', unit: 'audit.unit_id' }
  const counted = await first(
    transaction,
    sql<{ now: object; completed: number; failed: number; p95: number | null }>`
      with listing_counts as (
        select json_build_object(
          'listings', count(*),
          'in_sync', count(*) filter (
            where sync.wanted_version = sync.synced_version and sync.unverified_since is null
          ),
          'stale', count(*) filter (where sync.stale_since is not null),
          'error', count(*) filter (where sync.status = 'failed'),
          'oldest_pending_seconds', floor(extract(epoch from now() - min(sync.behind_since)))
        ) as now
        from listing_syncs sync
        join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
        where sync.org_id = ${orgId}${filterConditions(filter, listingColumns)}
      ),
      ended_push as (
        select audit.action, audit.started_at, audit.finished_at
        from sync_audit audit
        where audit.org_id = ${orgId}
          and audit.action in ('sync.completed', 'sync.failed')
          and audit.created_at >= ${from}::date::timestamp at time zone ${timezone}
          and audit.created_at < (${to}::date + 1)::timestamp at time zone ${timezone}
          ${filterConditions(filter, auditColumns)}
        order by audit.created_at desc
        limit 100000
      ),
      push_counts as (
        select
          count(*) filter (where action = 'sync.completed') as completed,
          count(*) filter (where action = 'sync.failed') as failed,
          percentile_disc(0.95) within group (order by finished_at - started_at)
            filter (where action = 'sync.completed') as p95_latency
        from ended_push
      )
      select
        listing_counts.now,
        push_counts.completed,
        push_counts.failed,
        round(extract(epoch from push_counts.p95_latency) * 1000)::int as p95
      from listing_counts, push_counts`,
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

/** Counts the messages of PMSs. A message belongs to an account, but not to a unit. */
async function countWebhooks(
  transaction: Transaction,
  { from, to }: Period,
  { account_id }: AnalyticsFilter,
  timezone: string,
): Promise<Analytics['webhooks']> {
  const counted = await first(
    transaction,
    sql<Analytics['webhooks']>`
      select count(*) as received,
        count(*) filter (where status = 'failed') as rejected,
        coalesce(sum(copies - 1), 0) as duplicates
      from webhook_messages
      where org_id = ${transaction.orgId}
        and received_at >= ${from}::date::timestamp at time zone ${timezone}
        and received_at < (${to}::date + 1)::timestamp at time zone ${timezone}
        ${account_id ? sql`and account_id = ${account_id}` : sql``}`,
  )
  return counted!
}
