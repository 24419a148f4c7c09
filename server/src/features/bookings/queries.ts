import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { nested, type Stored } from '#http/replies.ts'
import type { Booking } from './booking.ts'

interface BookingRow extends Stored {
  readonly space_id: string
}

export const bookingText = ({ json, space_id }: Pick<BookingRow, 'json' | 'space_id'>) =>
  nested(json, { spaceId: JSON.stringify(space_id) })

export const withSpace = sql`from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id`
export async function findBooking(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<BookingRow>`select b.json, b.version, u.space_id ${withSpace}
      where b.org_id = ${scope.orgId} and b.id = ${id} and b.deleted_at is null`,
  )
  if (!row) throw new NotFound('booking', id)
  return { json: bookingText(row), version: row.version }
}

/** The guest as a PMS told it last, whatever people here have changed since. */
export type PmsGuest = Pick<Booking, 'guestEmail' | 'guestPhone'> & { readonly guestName: string | null }

/** What is written of a booking. */
export type WrittenBooking = Pick<
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
  /** `usual`: as long as the organization says, 30 minutes unless it does. */
  readonly holdExpiresAt: 'usual' | (string & {}) | null
  /** Of the revision at the PMS; null keeps the one before. */
  readonly revisedAt: string | null
  /** What the PMS told of the guest last; what is absent stays as it was recorded. */
  readonly pmsGuest?: PmsGuest
}

/** Until when rooms are held that nobody else says a time for: what cannot be understood in the settings is 30 minutes. */
export const usualHold = ({ orgId }: Scope) => sql`now() + make_interval(mins => coalesce((select
  case when o.settings #>> '{booking,hold_minutes}' ~ '^[1-9][0-9]{0,4}$' then (o.settings #>> '{booking,hold_minutes}')::int end
  from organizations o where o.id = ${orgId}), 30))`

const columnsOf = (scope: Scope, booking: WrittenBooking): Record<string, RawBuilder<unknown>> => {
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
    hold_expires_at: hold === 'usual' ? usualHold(scope) : sql`${hold}::timestamptz`,
    cancellation_reason: sql`${booking.cancellationReason}`,
  }
}

export interface Written extends Stored {
  readonly fields: Omit<Booking, 'spaceId'>
}

const written = sql`json, version, json::jsonb as fields`
const cancelledNow = (status: string) => (status === 'cancelled' ? sql`now()` : sql`null`)

export async function insertBooking(transaction: Transaction, booking: WrittenBooking): Promise<Written> {
  const columns = columnsOf(transaction, booking)
  const names = Object.keys(columns).map((name) => sql.ref(name))
  const [row] = await rows(
    transaction,
    sql<Written>`insert into bookings (org_id, id, ${sql.join(names)}, cancelled_at, external_revised_at)
      values (${transaction.orgId}, ${booking.id}, ${sql.join(Object.values(columns))}, ${cancelledNow(booking.status)},
        ${booking.revisedAt}::timestamptz)
      returning ${written}`,
  )
  return row!
}

/** Writes every member anew; a booking that was deleted is there again. */
export async function updateBooking(transaction: Transaction, booking: WrittenBooking): Promise<Written> {
  const set = Object.entries(columnsOf(transaction, booking)).map(
    ([name, value]) => sql`${sql.ref(name)} = ${value}`,
  )
  const cancelledAt =
    booking.status === 'cancelled' ? sql`coalesce(cancelled_at, now())` : cancelledNow(booking.status)
  const [row] = await rows(
    transaction,
    sql<Written>`update bookings set ${sql.join(set)}, cancelled_at = ${cancelledAt}, deleted_at = null,
        external_revised_at = coalesce(${booking.revisedAt}::timestamptz, external_revised_at),
        version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and id = ${booking.id} returning ${written}`,
  )
  return row!
}

/** Whether anything was paid for it, or still may be. */
export const hasPayments = async (transaction: Transaction, id: string): Promise<boolean> =>
  (
    await rows(
      transaction,
      sql`select 1 from payment_intents where org_id = ${transaction.orgId} and booking_id = ${id} and status <> 'canceled' limit 1`,
    )
  ).length > 0

export const markDeleted = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`update bookings set deleted_at = now(), version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
