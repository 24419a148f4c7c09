import { Type } from 'typebox'
import { sql, type Fragment } from '#db/sql.ts'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import { Id, Name, Timestamp, nullable, oneOf, identifier, Whole, whole } from '#schema/fields.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { targetStatuses, type TargetConfig } from '#features/distribution/channel-targets/channel-target.ts'
import { noCalls, budgetState, type CallHistory } from '#features/distribution/pms-access/call-budget.ts'
import { providerOf } from '#features/distribution/pms-access/connect.ts'
import { budgetsOf } from '#features/distribution/pms-access/rate-limiter.ts'

/** The state of one target: whether its PMS responds, how many calls it allows, and what waits. */
export const TargetSync = Type.Object(
  {
    channel_target_id: Id,
    name: Name,
    status: oneOf(...targetStatuses),
    circuit: Type.Object({
      state: oneOf('closed', 'open', 'half_open'),
      failures: whole('Consecutive failed calls.'),
      opened_at: nullable(Timestamp),
      next_probe_at: nullable(Timestamp),
    }),
    budgets: Type.Array(
      Type.Object({
        kind: identifier(64),
        limit: Whole,
        window_seconds: Whole,
        remaining: Whole,
        next_call_at: nullable(Timestamp),
      }),
      { maxItems: 16, description: 'One for each kind of call that the PMS limits.' },
    ),
    queue: Type.Object({
      completed: whole('Listings of which the PMS has accepted the latest change.'),
      waiting: Whole,
      in_progress: Whole,
      failed: Whole,
      paused: whole('Listings that are not pushed, because they are paused or their target is inactive.'),
      stale: Whole,
      oldest_change_at: nullable(Timestamp),
      expected_at: Type.Unsafe<string | null>({
        ...nullable(Timestamp),
        description: 'When waiting changes will be sent; in the past when they only wait for a worker.',
      }),
    }),
    reconciled_at: nullable(Timestamp),
    reconcile_at: Type.Unsafe<string>({
      ...Timestamp,
      description: 'When everything is read back next, or pushed in full with `full_sync_cron`.',
    }),
  },
  { title: 'SyncTarget' },
)

export interface TargetRow {
  id: string
  name: string
  status: string
  config: TargetConfig
  failures: number
  opened_at: string | null
  probe_at: string | null
  waits_until: string | null
  budgets: Record<string, CallHistory>
  completed: number
  waiting: number
  in_progress: number
  failed: number
  paused: number
  stale: number
  oldest_change_at: string | null
  last_due_at: string | null
  reconciled_at: string | null
  reconcile_at: string
  /** The time of the database, which budgets use. */
  now: number
}

export function shownTarget(pms: PmsDirectory, row: TargetRow) {
  const { now } = row
  const provider = providerOf({ pms }, row)
  const budgets = budgetsOf(provider.budgets, row.config).map((budget) =>
    budgetState(budget, row.budgets[budget.kind] ?? noCalls, now),
  )
  const { completed, waiting, in_progress, failed, paused, stale, oldest_change_at } = row
  return {
    channel_target_id: row.id,
    name: row.name,
    status: row.status,
    circuit: {
      state: circuitState(row, now),
      failures: row.failures,
      opened_at: row.opened_at,
      next_probe_at: row.opened_at && row.probe_at,
    },
    budgets,
    queue: {
      ...{ completed, waiting, in_progress, failed, paused, stale, oldest_change_at },
      expected_at: waiting > 0 ? latest(row.last_due_at, callsFrom(row, budgets)) : null,
    },
    reconciled_at: row.reconciled_at,
    reconcile_at: row.reconcile_at,
  }
}

/** An open circuit whose next probe is due is half open. */
function circuitState({ opened_at, probe_at }: TargetRow, now: number) {
  if (!opened_at) return 'closed'
  return probe_at && Date.parse(probe_at) > now ? 'open' : 'half_open'
}

/** When calls are allowed again; a push starts with the first kind of call that is allowed. */
function callsFrom(
  { opened_at, probe_at, waits_until }: TargetRow,
  budgets: readonly { next_call_at: string | null }[],
): string | null {
  const times = budgets.map(({ next_call_at }) => next_call_at)
  const first = times.includes(null) ? null : (times.sort()[0] ?? null)
  return latest(first, waits_until, opened_at && probe_at)
}

/** Times in the same ISO format sort as text. */
const latest = (...times: (string | null)[]) =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null

const filterColumns = ['org_id', 'account_id', 'status']

/** One statement for a page: the page is limited first, then the listings of its targets are counted. */
export const listTargetStates = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<TargetRow & { sort_value: string }>`
      with target as materialized (
        select *
        from channel_targets target
        where target.org_id = ${scope.orgId}${filterClause('target', filter, filterColumns)}${pageClause('target', page)})
      select ${columns}, ${sortColumn('target', page)} as sort_value
      from target, ${parts(scope)}
      where true${pageClause('target', page)}`,
  )

export async function findTargetState(scope: Scope, targetId: string): Promise<TargetRow> {
  const row = await first(
    scope,
    sql<TargetRow>`select ${columns}
      from channel_targets target, ${parts(scope)}
      where target.org_id = ${scope.orgId}
        and target.id = ${targetId}`,
  )
  if (!row) throw new NotFound('channel target', targetId)
  return row
}

const columns = sql`target.id, target.name, target.status, target.config, access.*, listings.*,
  extract(epoch from now())::float8 * 1000 as now`

const parts = ({ orgId }: Scope): Fragment => sql`
  lateral (
    select failures, opened_at, probe_at, waits_until, coalesce(budget.budgets, '{}') as budgets, reconciled_at,
      reconcile_at
    from target_syncs
    left join call_budgets budget
      on budget.org_id = target.org_id
      and budget.key = target.budget_key
    where target_syncs.org_id = ${orgId}
      and target_syncs.channel_target_id = target.id) access,
  -- Listings in sync are counted from an index only. The others are read; each listing after its state, as a plan for any
  -- target joins all of the organization.
  lateral (
    select count(*)::int as count
    from listing_syncs sync
    where sync.org_id = ${orgId}
      and sync.channel_target_id = target.id) total,
  lateral (
    select case when target.status = 'inactive' then total.count else count(*)::int end as count
    from channel_listings listing
    where listing.org_id = ${orgId}
      and listing.channel_target_id = target.id
      and listing.status = 'paused') suspended,
  lateral (
    select
      count(*) filter (where sync.status = 'pending')::int as waiting,
      count(*) filter (where sync.status = 'in_progress')::int as in_progress,
      count(*) filter (where sync.status = 'failed')::int as failed,
      count(*) filter (where sync.stale_since is not null)::int as stale,
      min(sync.behind_since) filter (where sync.is_open) as oldest_change_at,
      max(sync.due_at) filter (where sync.status = 'pending') as last_due_at
    from listing_syncs sync
    cross join lateral (
      select status
      from channel_listings listing
      where listing.org_id = sync.org_id
        and listing.id = sync.channel_listing_id
      offset 0) listing
    where sync.org_id = ${orgId}
      and sync.channel_target_id = target.id
      and (sync.is_open or sync.error_code is not null)
      and listing.status <> 'paused'
      and target.status <> 'inactive') other,
  lateral (
    select
      total.count - suspended.count - other.waiting - other.in_progress - other.failed as completed,
      suspended.count as paused,
      other.*) listings`
