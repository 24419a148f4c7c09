import { sql, type RawBuilder } from 'kysely'
import { first, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { matchesAny } from '#db/paging.ts'
import { isStandalone } from '#features/messaging/alerts/queries.ts'
import { failuresJson } from '#features/distribution/sync/api/failure-queries.ts'
import {
  isInTodaySet,
  mayBeInTodaySet,
  utcDay,
  type TodaySet,
} from '#features/reservations/bookings/today-filter.ts'
import { maxShown, type TodayAccess } from './today.ts'

type SpaceIds = string[] | undefined

/** The content of the page Today, in one round trip. @throws NotFound for an unknown space */
export async function readToday(scope: Scope, spaceIds: SpaceIds, access: TodayAccess): Promise<object> {
  const row = await first(
    scope,
    sql<{ today: object; space_ids: string[] | null }>`
      with day as (
        select
          space.id,
          space.name,
          space.timezone,
          (now() at time zone space.timezone)::date as today
        from spaces space
        where space.org_id = ${scope.orgId}
          and space.deleted_at is null
          ${spaceIds ? sql`and ${matchesAny(sql`space.id`, spaceIds)}` : sql``}
      ),
      stay as materialized (
        ${staysAround(scope, sql`booking.is_long = false and booking.departure <= ${utcDay} + 16`)}
        union all
        ${staysAround(scope, sql`booking.is_long = true`)}
      )
      ${access.payments ? sql`, unpaid as materialized (${unpaidStays(scope)})` : sql``}
      select json_build_object(
        'arrivals', (${section({
          ...{ from: sql`stay`, where: inSet('arrivals'), order: sql`stay.check_in` },
          members: sql`'done', count(*) filter (where ranked.status <> 'confirmed')`,
        })}),
        'departures', (${section({
          ...{ from: sql`stay`, where: inSet('departures'), order: sql`stay.check_out` },
          members: sql`'done', count(*) filter (where ranked.status = 'checked_out')`,
        })}),
        'in_house', (${section({
          ...{ from: sql`stay`, where: inSet('in_house'), order: sql`stay.check_out` },
          members: sql`'guests', coalesce(sum(ranked.guests), 0)`,
        })}),
        'unpaid', ${access.payments ? sql`(${unpaidSection})` : sql`null`},
        'conflicts', (${openConflicts(scope, spaceIds)}),
        'alerts', ${access.sync ? sql`(${openAlerts(scope, spaceIds, access.hiddenAlertKinds)})` : sql`null`},
        'sync_failures', ${access.sync ? failuresJson(scope, { ...(spaceIds && { space_id: spaceIds }) }, maxShown) : sql`null`},
        'sales_stops', ${access.sync ? sql`(${stopsInForce(scope)})` : sql`null`},
        'setup', (${setupDone(scope)}),
        'generated_at', iso(now())
      ) as today,
      (select array_agg(day.id::text) from day) as space_ids`,
  )
  const missing = spaceIds?.find((id) => !row!.space_ids?.includes(id.toLowerCase()))
  if (missing) throw new NotFound('space', missing)
  return row!.today
}

const inSet = (set: TodaySet) => isInTodaySet(set, 'stay', sql`stay.today`)

/**
 * Stays that may begin, continue or end today anywhere. Long ones are read separately, because the index of
 * departures separates them: a short stay that has arrived departs within a fortnight.
 */
const staysAround = ({ orgId }: Scope, condition: RawBuilder<unknown>) => sql`
  select ${stayColumns}
  from bookings booking
  join units unit
    on unit.org_id = booking.org_id
    and unit.id = booking.unit_id
  join day on day.id = unit.space_id
  where booking.org_id = ${orgId}
    and booking.deleted_at is null
    and booking.status in ('confirmed', 'checked_in', 'checked_out')
    and booking.departure >= ${utcDay} - 1
    and booking.arrival <= ${utcDay} + 1
    and ${condition}`

const stayColumns = sql`
  booking.id, booking.status, booking.guest_name, booking.guests, booking.rooms, booking.unit_id,
  unit.name as unit_name, unit.space_id, day.name as space_name, day.timezone, day.today, booking.arrival,
  booking.departure, booking.check_in, booking.check_out, booking.source, booking.channel_target_id,
  booking.total_cents, booking.currency`

const unpaidStays = ({ orgId }: Scope) => sql`
  select ${stayColumns}, paid.cents as paid_cents
  from bookings booking
  join units unit
    on unit.org_id = booking.org_id
    and unit.id = booking.unit_id
  join day on day.id = unit.space_id
  cross join lateral (
    select
      coalesce(sum(intent.amount_received - intent.amount_refunded), 0)::bigint as cents,
      count(*) as intents
    from payment_intents intent
    where intent.org_id = booking.org_id
      and intent.booking_id = booking.id
  ) paid
  where booking.org_id = ${orgId}
    and booking.deleted_at is null
    and ${mayBeInTodaySet('unpaid', 'booking')}
    and ${isInTodaySet('unpaid', 'booking', sql`day.today`)}
    and booking.total_cents > paid.cents
    and (booking.source <> 'pms' or paid.intents > 0)`

const stayJson = sql`
  'id', ranked.id, 'status', ranked.status, 'guest_name', ranked.guest_name, 'guests', ranked.guests,
  'rooms', ranked.rooms, 'unit_id', ranked.unit_id, 'unit_name', ranked.unit_name,
  'space_id', ranked.space_id, 'space_name', ranked.space_name, 'timezone', ranked.timezone,
  'arrival', ranked.arrival, 'departure', ranked.departure, 'check_in', iso(ranked.check_in),
  'check_out', iso(ranked.check_out), 'source', ranked.source,
  'channel_target_id', ranked.channel_target_id, 'total_cents', ranked.total_cents,
  'currency', ranked.currency`

interface Section {
  readonly from: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
  readonly order: RawBuilder<unknown>
  /** The members of a section beside the count and the bookings. */
  readonly members: RawBuilder<unknown>
  /** The members of each booking beside those of a stay, with a leading comma. */
  readonly more?: RawBuilder<unknown>
}

const section = ({ from, where, order, members, more = sql`` }: Section) => sql`
  select json_build_object(
    'count', count(*),
    ${members},
    'bookings', coalesce(
      json_agg(json_build_object(${stayJson}${more}) order by ranked.place)
        filter (where ranked.place <= ${maxShown}),
      '[]'
    )
  )
  from (
    select ${from}.*, row_number() over (order by ${order}, ${from}.id) as place
    from ${from}
    where ${where}
  ) ranked`

const unpaidSection = section({
  from: sql`unpaid`,
  where: sql`true`,
  order: sql`unpaid.arrival`,
  members: sql`'overdue', count(*) filter (where ranked.arrival < ranked.today)`,
  more: sql`,
    'paid_cents', ranked.paid_cents, 'due_cents', ranked.total_cents - ranked.paid_cents`,
})

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
const inSpaces = (unitId: RawBuilder<unknown>, spaceIds: SpaceIds) =>
  spaceIds
    ? sql`and ${unitId} in (
        select unit.id
        from units unit
        join day on day.id = unit.space_id
        where unit.org_id = current_org()
      )`
    : sql``
