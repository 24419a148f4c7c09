import { sql, type Fragment } from '#db/sql.ts'
import type { Scope } from '#db/scope.ts'
import { maxShown } from './today.ts'

/** A set of stays on the page Today: all of its narrow rows are counted, and the first bookings are read. */

const stayJson = sql`
  'id', booking.id, 'status', booking.status, 'guest_name', booking.guest_name, 'guests', booking.guests,
  'rooms', booking.rooms, 'unit_id', booking.unit_id, 'unit_name', unit.name,
  'space_id', unit.space_id, 'space_name', space.name, 'timezone', space.timezone,
  'arrival', booking.arrival, 'departure', booking.departure, 'check_in', iso(booking.check_in),
  'check_out', iso(booking.check_out), 'source', booking.source,
  'channel_target_id', booking.channel_target_id, 'total_cents', booking.total_cents,
  'currency', booking.currency`

interface Section {
  readonly from: Fragment
  readonly where: Fragment
  readonly order: Fragment
  /** The members of a section beside the count and the bookings. */
  readonly members: Fragment
  /** The members of each booking beside those of a stay, with a leading comma. */
  readonly more?: Fragment
}

/** Counts the stays of a set, and reads the first ones whole. */
export const section = (scope: Scope, { from, where, order, members, more = sql`` }: Section) => sql`
  select json_build_object(
    'count', count(*),
    ${members},
    'bookings', (
      select coalesce(json_agg(json_build_object(${stayJson}${more}) order by booking.${order}, booking.id), '[]')
      from (
        select id from ${from} where ${where} order by ${order}, id limit ${maxShown}
      ) shown
      join bookings booking
        on booking.org_id = ${scope.orgId}
        and booking.id = shown.id
      join units unit
        on unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
    )
  )
  from ${from}
  where ${where}`

export const unpaidSection = (scope: Scope) =>
  section(scope, {
    ...{ from: sql`unpaid`, where: sql`true`, order: sql.ref('arrival') },
    members: sql`'overdue', count(*) filter (where arrival < today)`,
    more: sql`,
      'paid_cents', coalesce(booking.paid_cents, 0), 'due_cents', booking.total_cents - coalesce(booking.paid_cents, 0)`,
  })
