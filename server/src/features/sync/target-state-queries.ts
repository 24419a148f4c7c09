import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { TargetRow } from './target-state.ts'

const filterColumns = ['org_id', 'account_id', 'status']

/** One statement for a page: the page is cut first, then the listings of its targets are counted. */
export const listTargetStates = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<TargetRow & { sort_value: string }>`
      with t as materialized (select * from channel_targets t
        where t.org_id = ${scope.orgId}${filters('t', filter, filterColumns)}${pageClause('t', page)})
      select ${state}, ${sortColumn('t', page)} as sort_value from t, ${parts(scope)}
      where true${pageClause('t', page)}`,
  )

export async function findTargetState(scope: Scope, targetId: string): Promise<TargetRow> {
  const row = await first(
    scope,
    sql<TargetRow>`select ${state} from channel_targets t, ${parts(scope)}
      where t.org_id = ${scope.orgId} and t.id = ${targetId}`,
  )
  if (!row) throw new NotFound('channel target', targetId)
  return row
}

const state = sql`t.id, t.name, t.status, t.config, g.*, q.*, extract(epoch from now())::float8 * 1000 as now`

const parts = ({ orgId }: Scope): RawBuilder<unknown> => sql`
  lateral (select failures, opened_at, probe_at, waits_until, coalesce(b.budgets, '{}') as budgets, reconciled_at, reconcile_at
    from target_syncs g left join call_budgets b on b.org_id = t.org_id and b.key = t.budget_key
    where g.org_id = ${orgId} and g.channel_target_id = t.id) g,
  lateral (select
      count(*) filter (where s.status = 'pending' and not h.held)::int as waiting,
      count(*) filter (where s.status = 'in_progress' and not h.held)::int as in_progress,
      count(*) filter (where s.status = 'failed' and not h.held)::int as failed,
      count(*) filter (where h.held)::int as paused,
      count(*) filter (where s.stale_since is not null and not h.held)::int as stale,
      min(s.behind_since) filter (where s.status in ('pending', 'in_progress') and not h.held) as oldest_change_at,
      max(s.due_at) filter (where s.status = 'pending' and not h.held) as last_due_at
    from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id,
    lateral (select l.status = 'paused' or t.status = 'inactive' as held) h
    where s.org_id = ${orgId} and s.channel_target_id = t.id) q`
