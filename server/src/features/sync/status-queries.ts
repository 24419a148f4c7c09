import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed } from '#http/replies.ts'
import { planSupport } from '#outside/pms/pms.ts'

const providers = Object.entries(planSupport)
const withPlans = providers.filter(([, { hasPlans }]) => hasPlans).map(([name]) => name)
const withRoomTerms = providers.filter(([, { roomHasTerms }]) => roomHasTerms).map(([name]) => name)

/** The status of the listing `s`, as JSON text. Where rooms have terms, the default plan needs no link: it is the room's. */
const statusText = sql<string>`left(sync_json(s), -1) || ',"warnings":' || coalesce((
    select json_agg(json_build_object('code', 'plan_not_linked', 'rate_plan_id', p.id, 'message',
      format('The rate plan %s is not linked: its prices and restrictions are not pushed.', p.name)) order by p.created_at, p.id)
    from channel_listings l
    join channel_targets t on t.org_id = l.org_id and t.id = l.channel_target_id
    join rate_plans p on p.org_id = l.org_id and p.unit_id = l.unit_id and p.status = 'active'
    where l.org_id = s.org_id and l.id = s.channel_listing_id
      and coalesce(t.config ->> 'provider', 'sandbox') = any(${withPlans}::text[])
      and not (p.is_default and coalesce(t.config ->> 'provider', 'sandbox') = any(${withRoomTerms}::text[]))
      and not exists (select 1 from jsonb_array_elements(l.rate_plans) as link where link ->> 'rate_plan_id' = p.id::text)
  )::text, '[]') || '}'`

/** The status of one listing, as JSON text. @throws NotFound */
export async function findSyncStatus(scope: Scope, listingId: string): Promise<string> {
  const row = await first(
    scope,
    sql<{
      json: string
    }>`select ${statusText} as json from listing_syncs s
      where org_id = ${scope.orgId} and channel_listing_id = ${listingId}`,
  )
  if (!row) throw new NotFound('channel listing', listingId)
  return row.json
}

export const listSyncStatuses = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select s.channel_listing_id as id, ${statusText} as json, ${sortColumn('s', page)} as sort_value from listing_syncs s
      where s.org_id = ${scope.orgId}${filters('s', filter, ['org_id', 'channel_target_id', 'unit_id', 'status'])}
      ${pageClause('s', page, 'channel_listing_id')}`,
  )

/** The statuses of some listings as they are now, as JSON text; none of one that is gone. */
export async function statusesNow(
  database: Database,
  orgId: string,
  listingIds: readonly string[],
): Promise<string[]> {
  const [found] = await database.pipelined({ orgId }, [
    sql<{ json: string }>`select ${statusText} as json from listing_syncs s
      where s.org_id = ${orgId} and s.channel_listing_id = any(${listingIds}::uuid[])`,
  ])
  return (found as { json: string }[]).map(({ json }) => json)
}

/** Whether a listing exists and may be pushed. */
export async function lookForPushable(transaction: Transaction, listingId: string) {
  const [, state] = await Promise.all([
    rows(
      transaction,
      sql`select 1 from channel_listings where org_id = ${transaction.orgId} and id = ${listingId} for key share`,
    ),
    first(
      transaction,
      sql<{
        listing: string
        target: string
      }>`select l.status as listing, t.status as target from channel_listings l
        join channel_targets t on t.org_id = l.org_id and t.id = l.channel_target_id
        where l.org_id = ${transaction.orgId} and l.id = ${listingId}`,
    ),
  ])
  return state
}
