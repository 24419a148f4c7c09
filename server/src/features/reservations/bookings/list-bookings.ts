import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import {
  buildPageQuery,
  idsOfFew,
  matchesAny,
  ofFewLimit,
  pageClause,
  sortColumn,
  type PageRequest,
} from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { rows, type Scope } from '#db/scope.ts'
import { spaceOfBooking } from './queries.ts'
import { bookingSources, bookingStatuses } from './booking.ts'
import { idsOfTodaySet, isUnpaid, type TodaySet } from './today-filter.ts'

const listColumns = {
  columns: [
    ...[
      'org_id',
      'id',
      'account_id',
      'unit_id',
      'rate_plan_id',
      'quote_id',
      'channel_target_id',
      'external_id',
    ],
    ...['status', 'source', 'cancellation_reason', 'arrival', 'departure'],
  ],
  indexed: ['unit_id', 'account_id', 'channel_target_id', 'cancellation_reason'],
  findable: ['arrival', 'departure'],
  together: { source: bookingSources, status: bookingStatuses },
  named: { kind: 'booking', column: 'guest_name' },
} as const

/** The filters that are not equality with a column. Days compare with the nights, points in time with the times. */
export interface BookingFilter {
  q?: string
  space_id?: string[]
  rate_plan_id?: string[]
  guest_email?: string[]
  guest_phone?: string[]
  departure?: string[]
  check_in_from?: string
  check_in_to?: string
  check_out_from?: string
  check_out_to?: string
  unpaid?: boolean
  today?: TodaySet
}

export function listBookings(scope: Scope, filter: BookingFilter, page: PageRequest) {
  const { space_id, rate_plan_id, guest_email, guest_phone, departure, unpaid, today, ...plain } = filter
  const parts = conditionsOfDates(filter)
  const around = boundsOfCheckIn(filter)
  const conditions = {
    ...(around && { dates: around }),
    ...(unpaid !== undefined && { unpaid: unpaid ? isUnpaid : sql`not (${isUnpaid})` }),
  }
  const lookups = findsFew(filter) ? {} : lookupsOf(scope, filter, parts, page)
  if (today) {
    // The indexes of these stays have their order too, so that only the page is read.
    const isPage = isOnly(filter, 'today') && /(created_at|check_in)$/.test(page.sort)
    const ids = idsOfTodaySet(scope, today, isPage ? pageClause('stay', page) : sql``)
    parts.push(sql`booking.id = any(array(${ids}))`)
  }
  if (space_id)
    parts.push(sql`booking.unit_id = any(array(
      select unit.id
      from units unit
      where unit.org_id = ${scope.orgId}
        and ${matchesAny(sql`unit.space_id`, space_id)}))`)
  if (guest_email)
    parts.push(sql`booking.guest_email_key in (${sql.join(guest_email.map((one) => sql`lower(${one})`))})`)
  // The index on departures has is_long before departure.
  if (departure) parts.push(sql`booking.is_long in (true, false)`)
  if (guest_phone)
    parts.push(
      matchesAny(
        sql`booking.guest_phone_key`,
        guest_phone.map((phone) => phone.replace(/[^0-9]/g, '')),
      ),
    )
  // The index is on the unit, and a plan belongs to one unit.
  if (rate_plan_id)
    parts.push(sql`booking.unit_id = any(array(
      select plan.unit_id
      from rate_plans plan
      where plan.org_id = ${scope.orgId}
        and ${matchesAny(sql`plan.id`, rate_plan_id)}))`)
  const more = sql.join(
    parts.map((part) => sql` and ${part}`),
    '',
  )
  return rows(
    scope,
    buildPageQuery(
      'booking',
      { ...plain, ...conditions, ...lookups, rate_plan_id, departure },
      { ...listColumns, conditions, lookups },
      page,
      (where) => sql<ListedRecord & { space_id: NotNull<string> }>`
        select booking.id, booking.json, ${spaceOfBooking} as space_id, ${sortColumn('booking', page)} as sort_value
        from bookings booking
        where booking.org_id = ${scope.orgId}
          and booking.deleted_at is null${more}${where}`,
    ),
  )
}

/** Whether nothing else of the query chooses bookings. */
const isOnly = (query: object, name: string) =>
  Object.entries(query).every(
    ([key, value]) => [name, 'limit', 'sort', 'cursor'].includes(key) || value === undefined,
  )

/** Filters that few bookings match: they are found by an index of their own. */
const narrow = [
  'id',
  'unit_id',
  'rate_plan_id',
  'quote_id',
  'external_id',
  'guest_email',
  'guest_phone',
  'today',
]
const findsFew = (filter: object) =>
  narrow.some((name) => (filter as Record<string, unknown>)[name] !== undefined)

/** In the order of a page, a plan for any limit may read all bookings to find those of a period, or those not paid. */
function lookupsOf(
  { orgId }: Scope,
  filter: BookingFilter,
  dates: readonly Fragment[],
  { sort }: PageRequest,
) {
  const found = (condition: Fragment) => sql`
    select booking.id
    from bookings booking
    where booking.org_id = ${orgId}
      and booking.deleted_at is null
      and ${condition}${ofFewLimit}`
  const around = boundsOfCheckIn(filter)
  const isByDeparture = filter.check_out_from !== undefined || filter.check_out_to !== undefined
  const ids = isByDeparture
    ? idsByDeparture(filter, sql.join(dates, ' and '), found)
    : // Of the times of arrival alone, so that the index which has them is enough; the page has the whole condition.
      around && !sort.endsWith('check_in') && found(sql`${around} order by booking.check_in`)
  return {
    ...(filter.unpaid && { unpaid: () => idsOfFew(found(sql`${isUnpaid} order by booking.arrival`)) }),
    ...(ids && { dates: () => idsOfFew(ids) }),
  }
}

/**
 * The index on departures has is_long before departure. A stay that is not long departs within a fortnight. The bounds are
 * plain columns: row-level security lets no index compare with what a function makes of another column.
 */
function idsByDeparture(filter: BookingFilter, dates: Fragment, found: (condition: Fragment) => Fragment) {
  const { check_in_from, check_in_to, check_out_from, check_out_to } = filter
  const after = [check_in_from, check_out_from].filter((one) => one !== undefined)
  const bounds = [
    ...after.map((from) => sql`booking.departure >= ${dayOf(from)} - 2`),
    ...(check_out_to ? [sql`booking.departure <= ${dayOf(check_out_to)} + 2`] : []),
    ...(check_in_to ? [sql`booking.departure <= length.latest`] : []),
  ]
  const latest = check_in_to ? sql`${dayOf(check_in_to)} + 14 + 2` : sql`'infinity'::date`
  const ofLength = sql`booking.is_long = length.is_long and ${sql.join(bounds, ' and ')} and ${dates}`
  return sql`
    select booking.id
    from (values (false, ${latest}), (true, 'infinity'::date)) length (is_long, latest)
    cross join lateral (${found(sql`${ofLength} order by booking.departure`)}) booking${ofFewLimit}`
}

/** The times of arrival, which one index has in their order: at most a day and a half from the day at the space. */
function boundsOfCheckIn({ check_in_from: from, check_in_to: to }: BookingFilter): Fragment | undefined {
  const earliest = from && (isDay(from) ? sql`(${from}::date - 2)::timestamptz` : timeOf(from))
  const latest = to && (isDay(to) ? sql`(${to}::date + 3)::timestamptz` : timeOf(to))
  const bounds = [
    ...(earliest ? [sql`booking.check_in >= ${earliest}`] : []),
    ...(latest ? [sql`booking.check_in <= ${latest}`] : []),
  ]
  return bounds.length === 0 ? undefined : sql.join(bounds, ' and ')
}

/**
 * The days or points in time between which stays begin and end. They are no conditions of an index (`is true`), which would
 * seem to find few bookings.
 */
const conditionsOfDates = (filter: BookingFilter): Fragment[] => [
  ...compare('check_in', 'arrival', '>=', filter.check_in_from),
  ...compare('check_in', 'arrival', '<=', filter.check_in_to),
  ...compare('check_out', 'departure', '>=', filter.check_out_from),
  ...compare('check_out', 'departure', '<=', filter.check_out_to),
]

function compare(time: string, day: string, comparison: '>=' | '<=', value: string | undefined): Fragment[] {
  if (value === undefined) return []
  const column = sql.ref(`booking.${isDay(value) ? day : time}`)
  const bound = isDay(value) ? dayOf(value) : timeOf(value)
  return [sql`(${column} ${sql.raw(comparison)} ${bound}) is true`]
}

const isDay = (text: string) => text.length === 10
const timeOf = (text: string) => sql`${text}::timestamptz`
const dayOf = (text: string) => (isDay(text) ? sql`${text}::date` : sql`${timeOf(text)}::date`)
