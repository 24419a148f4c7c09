import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { containing, isAnyOf, pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed } from '#http/replies.ts'
import { withSpace } from './queries.ts'

const listColumns = {
  columns: [
    ...['org_id', 'account_id', 'unit_id', 'rate_plan_id', 'quote_id', 'channel_target_id', 'external_id'],
    ...['status', 'source', 'cancellation_reason', 'arrival', 'departure'],
  ],
  indexed: ['unit_id', 'status'],
}

/** What is not the value of a column. Days are compared with the nights, points in time with the hours. */
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
}

export function listBookings(scope: Scope, filter: BookingFilter, page: PageRequest) {
  const parts: RawBuilder<unknown>[] = [
    ...bound('check_in', 'arrival', '>=', filter.check_in_from),
    ...bound('check_in', 'arrival', '<=', filter.check_in_to),
    ...bound('check_out', 'departure', '>=', filter.check_out_from),
    ...bound('check_out', 'departure', '<=', filter.check_out_to),
  ]
  const { q, space_id, rate_plan_id, guest_email, guest_phone, departure, ...plain } = filter
  if (q !== undefined) parts.push(sql`b.guest_name ilike ${containing(q)}`)
  if (space_id) parts.push(isAnyOf(sql`u.space_id`, space_id))
  if (guest_email)
    parts.push(sql`b.guest_email_key in (${sql.join(guest_email.map((one) => sql`lower(${one})`))})`)
  // The index of departures has long stays apart from the others.
  if (departure) parts.push(sql`b.is_long in (true, false)`)
  if (guest_phone)
    parts.push(
      isAnyOf(
        sql`b.guest_phone_key`,
        guest_phone.map((phone) => phone.replace(/[^0-9]/g, '')),
      ),
    )
  // Bookings are found by their unit, which a plan has one of.
  if (rate_plan_id)
    parts.push(sql`b.unit_id = any(array(select p.unit_id from rate_plans p
      where p.org_id = ${scope.orgId} and ${isAnyOf(sql`p.id`, rate_plan_id)}))`)
  const more = sql.join(
    parts.map((part) => sql` and ${part}`),
    sql``,
  )
  return rows(
    scope,
    pageOf(
      'b',
      { ...plain, rate_plan_id, departure },
      listColumns,
      page,
      (where) => sql<
        Listed & { space_id: string }
      >`select b.id, b.json, u.space_id, ${sortColumn('b', page)} as sort_value ${withSpace}
        where b.org_id = ${scope.orgId} and b.deleted_at is null${more}${where}`,
    ),
  )
}

function bound(moment: string, day: string, comparison: '>=' | '<=', value?: string) {
  if (value === undefined) return []
  const compare = sql.raw(comparison)
  return value.length === 10
    ? [sql`${sql.ref(`b.${day}`)} ${compare} ${value}::date`]
    : [sql`${sql.ref(`b.${moment}`)} ${compare} ${value}::timestamptz`]
}
