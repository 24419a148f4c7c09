import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { planSupport } from '#integrations/pms/pms-provider.ts'

const providers = Object.entries(planSupport)
const withPlans = providers.filter(([, { hasPlans }]) => hasPlans).map(([name]) => name)
const withRoomTerms = providers.filter(([, { roomHasTerms }]) => roomHasTerms).map(([name]) => name)

/**
 * The status of the row `sync`, as JSON text. At providers whose rooms have terms, the default plan needs no link, because
 * its terms are those of the room.
 */
const statusText = sql<string>`left(sync_json(sync), -1) || ',"warnings":' || coalesce((
    select json_agg(
      json_build_object(
        'code', 'plan_not_linked',
        'rate_plan_id', plan.id,
        'message', format('The rate plan %s is not linked: its prices and restrictions are not pushed.', plan.name))
      order by plan.created_at, plan.id)
    from channel_listings listing
    join channel_targets target on target.org_id = listing.org_id and target.id = listing.channel_target_id
    join rate_plans plan
      on plan.org_id = listing.org_id and plan.unit_id = listing.unit_id and plan.status = 'active'
    where listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
      and coalesce(target.config ->> 'provider', 'generic') = any(${withPlans}::text[])
      and not (
        plan.is_default
        and coalesce(target.config ->> 'provider', 'generic') = any(${withRoomTerms}::text[]))
      and not exists (
        select 1
        from jsonb_array_elements(listing.rate_plans) as link
        where link ->> 'rate_plan_id' = plan.id::text)
  )::text, '[]') || '}'`

/** The status of one listing, as JSON text. @throws NotFound */
export async function findSyncStatus(scope: Scope, listingId: string): Promise<string> {
  const row = await first(
    scope,
    sql<{ json: string }>`
      select ${statusText} as json
      from listing_syncs sync
      where org_id = ${scope.orgId} and channel_listing_id = ${listingId}`,
  )
  if (!row) throw new NotFound('channel listing', listingId)
  return row.json
}

export const listSyncStatuses = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select sync.channel_listing_id as id, ${statusText} as json, ${sortColumn('sync', page)} as sort_value
      from listing_syncs sync
      where sync.org_id = ${scope.orgId}
        ${filterClause('sync', filter, ['org_id', 'channel_target_id', 'unit_id', 'status'])}
      ${pageClause('sync', page, 'channel_listing_id')}`,
  )

/** The statuses of these listings, as JSON text, without deleted ones. */
export async function readStatuses(
  database: Database,
  orgId: string,
  listingIds: readonly string[],
): Promise<string[]> {
  const [found] = await database.pipelined({ orgId }, [
    sql<{ json: string }>`
      select ${statusText} as json
      from listing_syncs sync
      where sync.org_id = ${orgId} and sync.channel_listing_id = any(${listingIds}::uuid[])`,
  ])
  return found.map(({ json }) => json)
}

/** The statuses of a listing and its target; undefined when there is no such listing. */
export async function getPushability(transaction: Transaction, listingId: string) {
  const [, state] = await Promise.all([
    rows(
      transaction,
      sql`select 1 from channel_listings where org_id = ${transaction.orgId} and id = ${listingId} for key share`,
    ),
    first(
      transaction,
      sql<{ listing: string; target: string }>`
        select listing.status as listing, target.status as target
        from channel_listings listing
        join channel_targets target on target.org_id = listing.org_id and target.id = listing.channel_target_id
        where listing.org_id = ${transaction.orgId} and listing.id = ${listingId}`,
    ),
  ])
  return state
}
