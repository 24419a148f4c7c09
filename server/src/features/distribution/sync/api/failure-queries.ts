import { sql, type Fragment } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { matchesAny, pageClause, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { retryableCodes } from '#integrations/pms/pms-failure.ts'
import { maxCauses, maxExamples } from './sync-failure.ts'

export interface FailureFilter {
  channel_target_id?: string[]
  space_id?: readonly string[]
}

/** The failing listings by cause, as the response shows them. One round trip. */
export async function listFailures(scope: Scope, filter: FailureFilter): Promise<object> {
  const row = await first(scope, sql<{ failures: object }>`select ${failuresJson(scope, filter)} as failures`)
  return row!.failures
}

/** The listings that fail with a cause, in the order of their ids. */
export const listListingsOfCause = async (transaction: Transaction, id: string): Promise<string[]> =>
  (
    await rows(
      transaction,
      sql<{ channel_listing_id: string }>`
        with failing as (${failingListings(transaction, {})})
        select failing.channel_listing_id
        from failing
        where failing.cause_id = ${id}
        order by failing.channel_listing_id`,
    )
  ).map(({ channel_listing_id }) => channel_listing_id)

/** One page of the listings that fail with a cause. */
export const listFailingListings = (scope: Scope, id: string, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      with failing as (
        select listing.*, unit.name as unit_name
        from (${failingListings(scope, {})}) listing
        join units unit
          on unit.org_id = ${scope.orgId}
          and unit.id = listing.unit_id
        where listing.cause_id = ${id}
      )
      select
        failing.channel_listing_id as id,
        failing.unit_name as sort_value,
        json_build_object(${failingListingMembers(sql`failing`, sql`failing.unit_name`)})::text as json
      from failing
      where true
      ${pageClause('failing', page, { id: 'channel_listing_id' })}`,
  )

const failingListingMembers = (row: Fragment, unitName: Fragment) => sql`
  'channel_listing_id', ${row}.channel_listing_id,
  'unit_id', ${row}.unit_id,
  'unit_name', ${unitName},
  'external_id', ${row}.external_id,
  'status', ${row}.status,
  'error_message', ${row}.error_message,
  'last_at', iso(${row}.last_at)`

/**
 * An SQL expression: the failing listings by cause, as one JSON object. Names are read only of what is shown: with 20,000
 * failing listings the rest takes most of the time.
 */
export const failuresJson = (scope: Scope, filter: FailureFilter, max = maxCauses) => sql`(
  with ranked as (
    select
      failing.*,
      row_number() over (partition by failing.cause_id order by failing.last_at desc, failing.channel_listing_id)
        as place
    from (${failingListings(scope, filter)}) failing
  ),
  causes as materialized (
    select
      ranked.cause_id as id,
      min(ranked.error_code) as error_code,
      min(ranked.channel_target_id::text) as channel_target_id,
      min(ranked.error_message) filter (where ranked.place = 1) as message,
      min(ranked.hint) as hint,
      bool_and(ranked.retryable) as retryable,
      count(*) as count,
      count(*) filter (where ranked.status = 'failed') as failed,
      count(*) filter (where ranked.status = 'retrying') as retrying,
      iso(min(ranked.first_at)) as first_at,
      iso(max(ranked.last_at)) as last_at,
      json_agg(
        json_build_object(${failingListingMembers(
          sql`ranked`,
          sql`(select name from units where org_id = ${scope.orgId} and id = ranked.unit_id)`,
        )})
        order by ranked.place
      ) filter (where ranked.place <= ${maxExamples}) as listings
    from ranked
    group by ranked.cause_id
  ),
  largest as (
    select causes.*, target.name as channel_target_name
    from causes
    join channel_targets target
      on target.org_id = ${scope.orgId}
      and target.id = causes.channel_target_id::uuid
    order by causes.count desc, causes.id
    limit ${max}
  )
  select json_build_object(
    'sync_failures', (
      select coalesce(json_agg(largest order by largest.count desc, largest.id), '[]')
      from largest
    ),
    'causes', (select count(*) from causes),
    'listings', (select coalesce(sum(causes.count), 0) from causes)
  )
)`

/**
 * What differs between messages about the same fault: names in quotes, ids, numbers and dates. Without them the
 * messages of 1,000 listings are one.
 */
const messageClass = sql`regexp_replace(
  left(message.error_message, 500),
  '"[^"]*"|''[^'']*''|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9]+([.,:/-][0-9]+)*',
  '#',
  'gi'
)`

/**
 * Listings whose last attempt failed. Paused ones and those of inactive targets are not pushed, so they do not fail.
 * Each message is classified once. A full join, although each row has its partner: it is never a nested loop, which
 * would take minutes when the planner expects few failures.
 */
const failingListings = ({ orgId }: Scope, filter: FailureFilter): Fragment => sql`
  with failing as materialized (
    select
      sync.channel_listing_id,
      sync.channel_target_id,
      sync.unit_id,
      listing.external_id,
      sync.error_code,
      coalesce(sync.error_message, sync.error_code) as error_message,
      alert.hint,
      sync.error_code = any(${retryableCodes}::text[]) as retryable,
      case when sync.status = 'failed' then 'failed' else 'retrying' end as status,
      coalesce(alert.first_at, sync.behind_since, sync.shown_at) as first_at,
      coalesce(greatest(sync.pushed_at, alert.first_at), sync.shown_at) as last_at
    from listing_syncs sync
    join channel_listings listing
      on listing.org_id = sync.org_id
      and listing.id = sync.channel_listing_id
      and listing.status <> 'paused'
    left join alerts alert
      on alert.org_id = sync.org_id
      and alert.channel_listing_id = sync.channel_listing_id
      and alert.kind = 'sync.failed'
      and alert.resolved_at is null
    where sync.org_id = ${orgId}
      and sync.error_code is not null
      and sync.status <> 'completed'
      and sync.channel_target_id = any(array(
        select id from channel_targets where org_id = ${orgId} and status <> 'inactive'))
      ${conditions(orgId, filter)}
  ),
  messages as (
    select distinct channel_target_id, error_code, error_message
    from failing
  ),
  classes as materialized (
    select
      message.*,
      md5(concat_ws(' ', message.channel_target_id, message.error_code, ${messageClass}))::uuid as cause_id
    from messages message
  )
  select *
  from failing
  full join classes using (channel_target_id, error_code, error_message)`

const conditions = (orgId: string, { channel_target_id, space_id }: FailureFilter) => sql`
  ${channel_target_id ? sql`and ${matchesAny(sql`sync.channel_target_id`, channel_target_id)}` : sql``}
  ${
    space_id
      ? sql`and sync.unit_id in (
          select id from units where org_id = ${orgId} and ${matchesAny(sql`space_id`, space_id)})`
      : sql``
  }`
