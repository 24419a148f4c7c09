import { sql, type Fragment } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { matchesAny } from '#db/paging.ts'
import { isStandalone } from '#features/messaging/alerts/queries.ts'
import { failuresJson } from '#features/distribution/sync/api/failure-queries.ts'
import { section, unpaidSection } from './today-stays.ts'
import {
  isInTodaySet,
  localDates,
  spacesOf,
  staysAroundToday,
  unpaidStays,
  type SpaceIds,
} from '#features/reservations/bookings/today-filter.ts'
import { maxShown, type TodayAccess } from './today.ts'

/** The content of the page Today, in one round trip. @throws NotFound for an unknown space */
export async function readToday(scope: Scope, spaceIds: SpaceIds, access: TodayAccess): Promise<object> {
  const row = await first(
    scope,
    sql<{ today: object; space_ids: string[] | null }>`
      with recursive ${localDates(scope, spaceIds)},
      stay as materialized (${staysAroundToday(scope, spaceIds)})
      ${access.payments ? sql`, unpaid as not materialized (${unpaidStays(scope, spaceIds)})` : sql``}
      select json_build_object(
        'arrivals', (${section(scope, {
          ...{ from: sql`stay`, where: isInTodaySet('arrivals'), order: sql.ref('check_in') },
          members: sql`'done', count(*) filter (where status <> 'confirmed')`,
        })}),
        'departures', (${section(scope, {
          ...{ from: sql`stay`, where: isInTodaySet('departures'), order: sql.ref('check_out') },
          members: sql`'done', count(*) filter (where status = 'checked_out')`,
        })}),
        'in_house', (${section(scope, {
          ...{ from: sql`stay`, where: isInTodaySet('in_house'), order: sql.ref('check_out') },
          members: sql`'guests', coalesce(sum(guests), 0)`,
        })}),
        'unpaid', ${access.payments ? sql`(${unpaidSection(scope)})` : sql`null`},
        'conflicts', (${openConflicts(scope, spaceIds)}),
        'alerts', ${access.sync ? sql`(${openAlerts(scope, spaceIds, access.hiddenAlertKinds)})` : sql`null`},
        'sync_failures', ${access.sync ? failuresJson(scope, { ...(spaceIds && { space_id: spaceIds }) }, maxShown) : sql`null`},
        'sales_stops', ${access.sync ? sql`(${stopsInForce(scope)})` : sql`null`},
        'setup', (${setupDone(scope)}),
        'generated_at', iso(now())
      ) as today,
      ${spaceIds ? sql`(select array_agg(space.id::text) from (${spacesOf(scope, spaceIds)}) space)` : sql`null::text[]`} as space_ids`,
  )
  const missing = spaceIds?.find((id) => !row!.space_ids?.includes(id))
  if (missing) throw new NotFound('space', missing)
  return row!.today
}

const openConflicts = ({ orgId }: Scope, spaceIds: SpaceIds) => sql`
  select json_build_object(
    'count', count(*),
    'booking_conflicts', coalesce(
      json_agg(
        json_build_object(
          'id', ranked.id, 'reason', ranked.reason, 'message', ranked.message, 'hint', ranked.hint,
          'unit_id', ranked.unit_id, 'unit_name', ranked.unit_name, 'booking_id', ranked.booking_id,
          'channel_target_id', ranked.channel_target_id, 'calendar_feed_id', ranked.calendar_feed_id,
          'created_at', iso(ranked.created_at)
        )
        order by ranked.place
      ) filter (where ranked.place <= ${maxShown}),
      '[]'
    )
  )
  from (
    select
      conflict.*,
      unit.name as unit_name,
      row_number() over (order by conflict.created_at desc, conflict.id) as place
    from booking_conflicts conflict
    left join units unit
      on unit.org_id = conflict.org_id
      and unit.id = conflict.unit_id
    where conflict.org_id = ${orgId}
      and conflict.status = 'open'
      ${inSpaces(sql`conflict.unit_id`, spaceIds)}
  ) ranked`

const openAlerts = ({ orgId }: Scope, spaceIds: SpaceIds, hiddenKinds: readonly string[]) => sql`
  select json_build_object(
    'count', count(*),
    'alerts', coalesce(
      json_agg(ranked.json::json order by ranked.place) filter (where ranked.place <= ${maxShown}),
      '[]'
    )
  )
  from (
    select
      alert.json,
      row_number() over (order by alert.last_at desc, alert.id) as place
    from alerts alert
    where alert.org_id = ${orgId}
      and alert.resolved_at is null
      and alert.kind <> all(${hiddenKinds}::text[])
      and ${isStandalone}
      ${inSpaces(sql`alert.unit_id`, spaceIds)}
  ) ranked`

const stopsInForce = ({ orgId }: Scope) => sql`
  select count(*)
  from sales_stops stop
  where stop.org_id = ${orgId}
    and stop.lifted_at is null`

const setupDone = ({ orgId }: Scope) => sql`
  select json_build_object(
    'units', exists (select 1 from units where org_id = ${orgId} and deleted_at is null),
    'channel_targets', exists (select 1 from channel_targets where org_id = ${orgId}),
    'channel_listings', exists (select 1 from channel_listings where org_id = ${orgId}),
    'synced', exists (select 1 from listing_syncs where org_id = ${orgId} and last_synced_at is not null)
  )`

/** Alerts without a unit belong to no space. */
const inSpaces = (unitId: Fragment, spaceIds: SpaceIds) =>
  spaceIds
    ? sql`and ${unitId} in (
        select unit.id
        from units unit
        where unit.org_id = current_org()
          and ${matchesAny(sql`unit.space_id`, spaceIds)}
      )`
    : sql``
