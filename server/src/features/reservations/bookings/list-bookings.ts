import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import { matchesAny, buildPageQuery, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
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
  const parts: Fragment[] = [
    ...bound('check_in', 'arrival', '>=', filter.check_in_from),
    ...bound('check_in', 'arrival', '<=', filter.check_in_to),
    ...bound('check_out', 'departure', '>=', filter.check_out_from),
    ...bound('check_out', 'departure', '<=', filter.check_out_to),
  ]
  const { space_id, rate_plan_id, guest_email, guest_phone, departure, unpaid, today, ...plain } = filter
  if (unpaid !== undefined) parts.push(sql`(${isUnpaid}) = ${unpaid}`)
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
      { ...plain, rate_plan_id, departure },
      listColumns,
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

function bound(timeColumn: string, dayColumn: string, comparison: '>=' | '<=', value?: string) {
  if (value === undefined) return []
  const compare = sql.raw(comparison)
  return value.length === 10
    ? [sql`${sql.ref(`booking.${dayColumn}`)} ${compare} ${value}::date`]
    : [sql`${sql.ref(`booking.${timeColumn}`)} ${compare} ${value}::timestamptz`]
}
