import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { withMembers, type StoredRecord } from '#db/records.ts'
import type { Booking } from './booking.ts'

interface BookingRow extends StoredRecord {
  readonly space_id: NotNull<string>
}

export const bookingJson = ({ json, space_id }: Pick<BookingRow, 'json' | 'space_id'>) =>
  withMembers(json, { spaceId: JSON.stringify(space_id) })

/** Read for the rows of a page only. A join would let the planner begin with all units of the organization. */
export const spaceOfBooking = sql<string>`(
    select unit.space_id
    from units unit
    where unit.org_id = booking.org_id
      and unit.id = booking.unit_id
  )`

export async function findBooking(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<BookingRow>`
      select booking.json, booking.version, ${spaceOfBooking} as space_id
      from bookings booking
      where booking.org_id = ${scope.orgId}
        and booking.id = ${id}
        and booking.deleted_at is null`,
  )
  if (!row) throw new NotFound('booking', id)
  return { json: bookingJson(row), version: row.version }
}

/** The guest as the PMS sent it last, without local changes. */
export type PmsGuest = Pick<Booking, 'guestEmail' | 'guestPhone'> & { readonly guestName: string | null }

/** The columns of a booking that are written. */
export type BookingValues = Pick<
  Booking,
  | 'id'
  | 'account_id'
  | 'unitId'
  | 'ratePlanId'
  | 'quoteId'
  | 'guestName'
  | 'guestEmail'
  | 'guestPhone'
  | 'guests'
  | 'rooms'
  | 'checkIn'
  | 'checkOut'
  | 'arrival'
  | 'departure'
  | 'totalCents'
  | 'currency'
  | 'status'
  | 'source'
  | 'channelTargetId'
  | 'externalId'
  | 'notes'
  | 'pms_notes'
  | 'cancellationReason'
> & {
  /** `default`: after `settings.booking.hold_minutes` of the organization, or 30 minutes. */
  readonly holdExpiresAt: 'default' | (string & {}) | null
  /** The time of the revision at the PMS; null keeps the stored one. */
  readonly revisedAt: string | null
  /** The guest as the PMS sends it; undefined keeps the stored one. */
  readonly pmsGuest?: PmsGuest
}

/** When a hold without an own time ends. An invalid setting counts as 30 minutes. */
export const defaultHoldEnd = ({ orgId }: Scope) => sql`now() + make_interval(mins => coalesce((
  select case when setting.minutes ~ '^[1-9][0-9]{0,4}$' then setting.minutes::int end
  from organizations organization,
    lateral (select organization.settings #>> '{booking,hold_minutes}') setting (minutes)
  where organization.id = ${orgId}), 30))`

const buildColumns = (scope: Scope, booking: BookingValues): Record<string, Fragment> => {
  const { holdExpiresAt: hold } = booking
  return {
    account_id: sql`${booking.account_id}::uuid`,
    unit_id: sql`${booking.unitId}::uuid`,
    rate_plan_id: sql`${booking.ratePlanId}::uuid`,
    quote_id: sql`${booking.quoteId}::uuid`,
    guest_name: sql`${booking.guestName}`,
    guest_email: sql`${booking.guestEmail}`,
    guest_phone: sql`${booking.guestPhone}`,
    guests: sql`${booking.guests}`,
    rooms: sql`${booking.rooms}`,
    nights: sql`daterange(${booking.arrival}, ${booking.departure})`,
    check_in: sql`${booking.checkIn}::timestamptz`,
    check_out: sql`${booking.checkOut}::timestamptz`,
    total_cents: sql`${booking.totalCents}`,
    currency: sql`${booking.currency}`,
    status: sql`${booking.status}`,
    source: sql`${booking.source}`,
    channel_target_id: sql`${booking.channelTargetId}::uuid`,
    external_id: sql`${booking.externalId}`,
    notes: sql`${booking.notes}`,
    pms_notes: sql`${booking.pms_notes}`,
    ...(booking.pmsGuest && { pms_guest: sql`${JSON.stringify(booking.pmsGuest)}::jsonb` }),
    hold_expires_at: hold === 'default' ? defaultHoldEnd(scope) : sql`${hold}::timestamptz`,
    cancellation_reason: sql`${booking.cancellationReason}`,
  }
}

export interface StoredBooking extends StoredRecord {
  readonly fields: Omit<Booking, 'spaceId'>
}

const storedColumns = sql`json, version, json::jsonb as fields`
const cancelledAtFor = (status: string) => (status === 'cancelled' ? sql`now()` : sql`null`)

export async function insertBooking(
  transaction: Transaction,
  booking: BookingValues,
): Promise<StoredBooking> {
  const columns = buildColumns(transaction, booking)
  const names = Object.keys(columns).map((name) => sql.ref(name))
  const [row] = await rows(
    transaction,
    sql<StoredBooking>`
      insert into bookings (org_id, id, ${sql.join(names)}, cancelled_at, external_revised_at)
      values (${transaction.orgId}, ${booking.id}, ${sql.join(Object.values(columns))},
        ${cancelledAtFor(booking.status)}, ${booking.revisedAt}::timestamptz)
      returning ${storedColumns}`,
  )
  return row!
}

/**
 * Writes all columns; a deleted booking is restored. Guest data that is entered after an erasure resets
 * `guest_erased_at`.
 */
export async function updateBooking(
  transaction: Transaction,
  booking: BookingValues,
): Promise<StoredBooking> {
  const columns = buildColumns(transaction, booking)
  const set = Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { guest_name, guest_email, guest_phone, notes, pms_notes } = columns
  const cancelledAt =
    booking.status === 'cancelled' ? sql`coalesce(cancelled_at, now())` : cancelledAtFor(booking.status)
  const [row] = await rows(
    transaction,
    sql<StoredBooking>`
      update bookings
      set ${sql.join(set)},
        cancelled_at = ${cancelledAt},
        deleted_at = null,
        guest_erased_at = case
          when (guest_name, guest_email, guest_phone, notes, pms_notes) is not distinct from
            (${guest_name}, ${guest_email}, ${guest_phone}, ${notes}, ${pms_notes})
          then guest_erased_at
        end,
        external_revised_at = coalesce(${booking.revisedAt}::timestamptz, external_revised_at),
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${booking.id}
      returning ${storedColumns}`,
  )
  return row!
}

/** Whether it has payments that are not cancelled. */
export const hasPayments = async (transaction: Transaction, id: string): Promise<boolean> =>
  (
    await rows(
      transaction,
      sql`
        select 1
        from payment_intents
        where org_id = ${transaction.orgId}
          and booking_id = ${id}
          and status <> 'canceled'
        limit 1`,
    )
  ).length > 0

export const markDeleted = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`
      update bookings
      set deleted_at = now(),
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
