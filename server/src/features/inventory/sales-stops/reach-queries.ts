import { sql, type RawBuilder } from 'kysely'
import { first, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import type { SalesStopInput } from './sales-stop.ts'

/** How many listings have received a stop or, after it was lifted, its end. @throws NotFound */
export async function findReach(scope: Scope, id: string): Promise<object> {
  const found = await first(
    scope,
    sql<{ reach: object }>`
      select (${reachOf(scope)}) as reach
      from sales_stops stop
      where stop.org_id = ${scope.orgId}
        and stop.id = ${id}`,
  )
  if (!found) throw new NotFound('sales stop', id)
  return found.reach
}

/** What a stop would cover; nothing is pushed yet. */
export async function previewReach(scope: Scope, subject: Omit<SalesStopInput, 'reason'>): Promise<object> {
  const { space_id = null, unit_id = null, channel_target_id = null } = subject
  const row = await first(
    scope,
    sql<{ reach: object }>`
      select (${reachOf(scope)}) as reach
      from (
        select
          null::uuid as id,
          ${space_id}::uuid as space_id,
          ${unit_id}::uuid as unit_id,
          ${channel_target_id}::uuid as channel_target_id,
          now() as created_at,
          null::timestamptz as lifted_at
      ) stop`,
  )
  return row!.reach
}

/**
 * An SQL expression for the row `stop`. A listing whose oldest unsent change is younger than the stop has received
 * it.
 */
const reachOf = ({ orgId }: Scope): RawBuilder<unknown> => sql`
  with covered as (
    select unit.id, unit.space_id
    from units unit
    where unit.org_id = ${orgId}
      and unit.deleted_at is null
      and coalesce(stop.space_id, unit.space_id) = unit.space_id
      and coalesce(stop.unit_id, unit.id) = unit.id
      and (
        stop.channel_target_id is null
        or exists (
          select 1
          from channel_listings sold
          where sold.org_id = unit.org_id
            and sold.unit_id = unit.id
            and sold.channel_target_id = stop.channel_target_id
        )
      )
  ),
  listed as (
    select
      listing.status = 'paused' or target.status = 'inactive' as is_paused,
      coalesce(sync.behind_since > coalesce(stop.lifted_at, stop.created_at), true) as is_told,
      sync.error_code is not null and sync.status <> 'completed' as is_failing
    from channel_listings listing
    join covered
      on covered.id = listing.unit_id
    join channel_targets target
      on target.org_id = listing.org_id
      and target.id = listing.channel_target_id
    join listing_syncs sync
      on sync.org_id = listing.org_id
      and sync.channel_listing_id = listing.id
    where listing.org_id = ${orgId}
      and coalesce(stop.channel_target_id, listing.channel_target_id) = listing.channel_target_id
  ),
  pushed as (
    select is_told, is_failing
    from listed
    where not is_paused
  )
  select json_build_object(
    'units', (select count(*) from covered),
    'stopped_otherwise', (
      select count(*)
      from covered
      where exists (
        select 1
        from sales_stops other
        where other.org_id = ${orgId}
          and other.lifted_at is null
          and other.id is distinct from stop.id
          and (other.channel_target_id is null or other.channel_target_id = stop.channel_target_id)
          and coalesce(other.space_id, covered.space_id) = covered.space_id
          and coalesce(other.unit_id, covered.id) = covered.id
      )
    ),
    'listings', (select count(*) from pushed),
    'reached', (select count(*) from pushed where is_told),
    'failing', (select count(*) from pushed where is_failing and not is_told),
    'paused', (select count(*) from listed where is_paused)
  )`
