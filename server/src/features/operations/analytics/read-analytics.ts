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
import { sql } from '#db/sql.ts'

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
  const ofFilter = filterConditions(filter, { account: 'listing.account_id', unit: 'sync.unit_id' })
  const syncs = sql`
    from listing_syncs sync
    ${filter.account_id ? sql`join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id` : sql``}
    where sync.org_id = ${orgId}${ofFilter}`
  const auditColumns = { account: 'audit.account_id', unit: 'audit.unit_id' }
  const counted = await first(
    transaction,
    sql<SyncCounts>`
      with listing_counts as (
        -- All are counted from an index only, and only those that may not be in sync are read.
        select
          (select count(*) ${syncs}) as listings,
          count(*) filter (
            where sync.wanted_version <> sync.synced_version or sync.unverified_since is not null
          ) as out_of_sync,
          count(*) filter (where sync.stale_since is not null) as stale,
          count(*) filter (where sync.status = 'failed') as error,
          floor(extract(epoch from now() - min(sync.behind_since)))::int as oldest_pending_seconds
        ${syncs}
          and (sync.is_open or sync.error_code is not null or sync.unverified_since is not null)
      ),
      ended_push as (
        select result.action, result.started_at, result.finished_at
        from unnest(array['sync.completed', 'sync.failed']) ended
        cross join lateral (
          select audit.action, audit.started_at, audit.finished_at, audit.created_at
          from sync_audit audit
          where audit.org_id = ${orgId}
            and audit.action = ended
            and audit.action <> 'sync.started'
            and audit.created_at >= ${from}::date::timestamp at time zone ${timezone}
            and audit.created_at < (${to}::date + 1)::timestamp at time zone ${timezone}
            ${filterConditions(filter, auditColumns)}
          order by audit.created_at desc
          limit 100000
        ) result
        order by result.created_at desc
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
        listing_counts.*,
        push_counts.completed,
        push_counts.failed,
        round(extract(epoch from push_counts.p95_latency) * 1000)::int as p95_latency_ms
      from listing_counts, push_counts`,
  )
  const { listings, out_of_sync, completed, failed, ...counts } = counted!
  const ended = completed + failed
  return {
    ...counts,
    listings,
    in_sync: listings - out_of_sync,
    jobs: { completed, failed },
    success_rate: ended === 0 ? null : Math.round((completed / ended) * 10_000) / 10_000,
  }
}

interface SyncCounts {
  readonly listings: number
  readonly out_of_sync: number
  readonly stale: number
  readonly error: number
  readonly oldest_pending_seconds: number | null
  readonly completed: number
  readonly failed: number
  readonly p95_latency_ms: number | null
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
