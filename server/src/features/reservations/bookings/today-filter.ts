import { sql, type Fragment } from '#db/sql.ts'
import { matchesAny } from '#db/paging.ts'
import type { Scope } from '#db/scope.ts'
import { spaceOfBooking } from './queries.ts'

/** Stays that are somebody's task today, found from two indexes without reading the bookings. */
export const todaySets = ['arrivals', 'departures', 'in_house', 'unpaid'] as const
export type TodaySet = (typeof todaySets)[number]

/** How many days before and after its arrival an unpaid booking is a task. */
export const paidBeforeDays = 7
export const overdueDays = 30

/** The spaces whose stays are wanted; undefined for all. */
export type SpaceIds = readonly string[] | undefined

/**
 * Channels collect their own payments, so a booking of a PMS counts only with a payment that was requested here. These are
 * the conditions of the index bookings_unpaid.
 */
export const isUnpaid = sql`
  booking.status in ('confirmed', 'checked_in', 'checked_out')
  and booking.total_cents > coalesce(booking.paid_cents, 0)
  and (booking.source <> 'pms' or booking.paid_cents is not null)`

/** Whether the row `stay` is in a set; `stay.today` is the local date of the space. Whether it is unpaid is not decided here. */
export function isInTodaySet(set: TodaySet): Fragment {
  switch (set) {
    case 'arrivals':
      return sql`stay.arrival = stay.today`
    case 'departures':
      return sql`stay.departure = stay.today`
    case 'in_house':
      return sql`(
        stay.status = 'checked_in'
        or stay.status = 'confirmed' and stay.arrival < stay.today and stay.departure > stay.today
      )`
    case 'unpaid':
      return sql`stay.arrival between stay.today - ${overdueDays}::int and stay.today + ${paidBeforeDays}::int`
  }
}

/** The ids of the stays in a set, or of those of a page. */
export const idsOfTodaySet = (scope: Scope, set: TodaySet, page: Fragment) => sql`
  with recursive ${localDates(scope, undefined)}
  select stay.id
  from (${set === 'unpaid' ? unpaidStays(scope, undefined) : staysAroundToday(scope, undefined)}) stay
  where ${isInTodaySet(set)}${page}`

export const spacesOf = ({ orgId }: Scope, spaceIds: readonly string[]) => sql`
  select space.id, space.timezone
  from spaces space
  where space.org_id = ${orgId}
    and space.deleted_at is null
    and ${matchesAny(sql`space.id`, spaceIds)}`

/**
 * Common table expressions, of which `date` has the first and the last date that it is at the spaces. The time zones of all
 * are found by one step of an index for each: they are few, whatever the number of the spaces.
 */
export const localDates = (scope: Scope, spaceIds: SpaceIds) => sql`
  zone (name) as (
    ${
      spaceIds
        ? sql`select space.timezone from (${spacesOf(scope, spaceIds)}) space`
        : sql`
            select min(space.timezone) from spaces space where space.org_id = ${scope.orgId}
            union all
            select (
              select min(space.timezone)
              from spaces space
              where space.org_id = ${scope.orgId}
                and space.timezone > zone.name
            )
            from zone
            where zone.name is not null`
    }
  ),
  date as materialized (
    select
      min((now() at time zone zone.name)::date) as first,
      max((now() at time zone zone.name)::date) as last
    from zone
  )`

const firstDate = sql`(select date.first from date)`
const lastDate = sql`(select date.last from date)`

/** The date at the space of a booking. The space is read only while the date is not the same everywhere, and matters. */
const localDate = (isIndifferent: Fragment) => sql`
  case
    when ${firstDate} = ${lastDate} or ${isIndifferent} then ${firstDate}
    else (
      select (now() at time zone space.timezone)::date
      from spaces space
      where space.org_id = booking.org_id
        and space.id = ${spaceOfBooking}
    )
  end`

/** The units of the spaces, each with the bookings that a statement finds by `booking.unit_id = unit.id`. */
const ofUnits = ({ orgId }: Scope, spaceIds: readonly string[], bookings: Fragment) => sql`
  units unit
  cross join lateral (${bookings} and booking.unit_id = unit.id offset 0) booking
  where unit.org_id = ${orgId}
    and ${matchesAny(sql`unit.space_id`, spaceIds)}`

/**
 * Stays that may begin, continue or end today, and guests who have not checked out. Long stays are read separately,
 * because the index of departures separates them: a short stay that has arrived departs within a fortnight.
 */
export function staysAroundToday(scope: Scope, spaceIds: SpaceIds): Fragment {
  const takesRoom = sql`booking.status in ('confirmed', 'checked_in', 'checked_out')`
  const stays = (condition: Fragment) => {
    const bookings = sql`
      select booking.*
      from bookings booking
      where booking.org_id = ${scope.orgId}
        and booking.deleted_at is null
        and booking.departure >= ${firstDate}
        and booking.arrival <= ${lastDate}
        and ${condition}`
    return sql`
      select booking.id, booking.status, booking.guests, booking.arrival, booking.departure, booking.check_in,
        booking.check_out, booking.created_at,
        ${localDate(sql`booking.arrival < ${firstDate} and booking.departure > ${lastDate}`)} as today
      from ${
        spaceIds
          ? ofUnits(scope, spaceIds, sql`${bookings} and ${takesRoom}`)
          : // The statuses are compared afterwards: with them the index of the departures of each unit looks as good.
            sql`(${bookings} offset 0) booking where ${takesRoom}`
      }`
  }
  return sql`
    ${stays(sql`booking.is_long = false and booking.departure <= ${lastDate} + 14`)}
    union all
    ${stays(sql`booking.is_long = true`)}
    union all
    ${overdueDepartures(scope, spaceIds)}`
}

/** Guests who are checked in although their stay is over everywhere; these are the conditions of the index bookings_in_house. */
const overdueDepartures = ({ orgId }: Scope, spaceIds: SpaceIds) => sql`
  select booking.id, booking.status, booking.guests, booking.arrival, booking.departure, booking.check_in,
    booking.check_out, booking.created_at, ${firstDate} as today
  from bookings booking
  where booking.org_id = ${orgId}
    and booking.deleted_at is null
    and booking.status = 'checked_in'
    and booking.departure < ${firstDate}${
      spaceIds
        ? sql` and booking.unit_id in (
            select unit.id
            from units unit
            where unit.org_id = ${orgId}
              and ${matchesAny(sql`unit.space_id`, spaceIds)}
          )`
        : sql``
    }`

/** Stays that are not paid and are due. */
export function unpaidStays(scope: Scope, spaceIds: SpaceIds): Fragment {
  const bookings = sql`
    select booking.*
    from bookings booking
    where booking.org_id = ${scope.orgId}
      and booking.deleted_at is null`
  const mayBeDue = sql`
    booking.arrival between ${firstDate} - ${overdueDays}::int and ${lastDate} + ${paidBeforeDays}::int
    and ${isUnpaid}`
  // Those of a unit are found by their time of arrival, a day or two beside the date. Under row-level security an index
  // compares it with a time, not with a date.
  const around = sql`booking.check_in between (${firstDate} - ${overdueDays + 2}::int)::timestamptz
    and (${lastDate} + ${paidBeforeDays + 2}::int)::timestamptz`
  const isDueAnyway = sql`booking.arrival between ${lastDate} - ${overdueDays}::int and ${firstDate} - 1
    or booking.arrival between ${lastDate} and ${firstDate} + ${paidBeforeDays}::int`
  return sql`
    select stay.*
    from (
      select booking.id, booking.arrival, booking.check_in, booking.created_at, ${localDate(isDueAnyway)} as today
      from ${
        spaceIds
          ? sql`${ofUnits(scope, spaceIds, sql`${bookings} and ${around}`)} and ${mayBeDue}`
          : sql`(${bookings} and ${mayBeDue}) booking`
      }
    ) stay
    where ${isInTodaySet('unpaid')}`
}
