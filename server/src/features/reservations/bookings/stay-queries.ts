import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import type { Booking } from './booking.ts'

/** A check-in or check-out: a day, an instant, or a local time of the space. */
export interface StayTime {
  readonly text: string
  readonly kind: 'day' | 'instant' | 'local'
  /** The local date, if it is known already. */
  readonly night: string | null
}

export const parseStayTime = (text: string): StayTime => ({
  text,
  kind: text.length === 10 ? 'day' : 'instant',
  night: null,
})

export interface StayRequest {
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly checkIn: StayTime
  readonly checkOut: StayTime
  readonly rooms: number
  /** The rooms and nights of this unit that the booking has already. */
  readonly currentRooms: { readonly rooms: number; readonly from: string; readonly to: string } | null
}

export interface FullNight {
  readonly night: string
  readonly booked: number
  readonly blocked: number
}

/** What is stored about the unit, plan and nights of a requested stay. */
export interface StayFacts {
  readonly unit_id: string
  readonly account_id: string
  readonly space_id: string
  readonly max_guests: number
  readonly quantity: number
  readonly min_price_cents: number | null
  readonly currency: string
  readonly bookable: boolean
  /** Whether any listing sells it; no listing can be created while the unit is locked. */
  readonly listed: boolean
  readonly rate_plan_id: string | null
  readonly check_in: string
  readonly check_out: string
  readonly arrival: string
  readonly departure: string
  readonly nights: number
  /** The local date of the space. */
  readonly today: string
  /** Nights without enough rooms, not counting the rooms that the booking has already. */
  readonly full_nights: readonly FullNight[]
}

/** Locks in the order of the ids, which prevents deadlocks. */
export const lockUnits = (transaction: Transaction, ids: readonly string[]) =>
  rows(
    transaction,
    sql`
      select 1
      from units
      where org_id = ${transaction.orgId}
        and id = any(${ids}::uuid[])
      order by id
      for no key update`,
  )

/** Longer stays are rejected for their length. */
const maxCheckedNights = 4_000

/**
 * The unit must be locked. PostgreSQL computes the days, so the clock of this process does not matter; once, because of
 * `offset 0`: with their expressions in its conditions, the index of departures is not used.
 */
export async function loadStayFacts(
  transaction: Transaction,
  stay: StayRequest,
): Promise<StayFacts | undefined> {
  const { checkIn, checkOut, currentRooms, rooms } = stay
  const [facts] = await rows(
    transaction,
    sql<StayFacts>`
      select unit.id as unit_id, unit.account_id, unit.space_id, unit.max_guests, unit.quantity,
        unit.min_price_cents::float8, unit.currency,
        unit.status = 'active' and space.status = 'active' as bookable,
        exists (
          select 1
          from channel_listings listing
          where listing.org_id = unit.org_id
            and listing.unit_id = unit.id) as listed,
        plan.id as rate_plan_id,
        instant.check_in, instant.check_out,
        stay.arrival, stay.departure, stay.departure - stay.arrival as nights,
        (now() at time zone space.timezone)::date as today,
        (
          select coalesce(json_agg(
            json_build_object('night', night.date, 'booked', night.booked, 'blocked', night.blocked)
            order by night.date), '[]')
          from (
            select night.date, coalesce(taken.booked, 0) as booked, coalesce(taken.blocked, 0) as blocked
            from (
              select stay.arrival + day as date
              from generate_series(0, least(stay.departure - stay.arrival, ${sql.lit(maxCheckedNights)}) - 1) day) night
            left join nights_taken(unit.org_id, array[unit.id], stay.arrival, stay.departure - 1) taken
              on taken.night = night.date) night,
            lateral (
              select case
                when night.date >= ${currentRooms?.from ?? null}::date
                  and night.date < ${currentRooms?.to ?? null}::date
                then ${currentRooms?.rooms ?? 0}::int
                else 0 end as rooms) own
          where ${rooms} > own.rooms
            and night.booked - own.rooms + night.blocked + ${rooms} > unit.quantity) as full_nights
      from units unit
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      left join rate_plans plan
        on plan.org_id = unit.org_id
        and plan.unit_id = unit.id
        and ${stay.ratePlanId === null ? sql`plan.is_default` : sql`plan.id = ${stay.ratePlanId}`},
      lateral (
        select ${timeExpression(checkIn, '15:00')} as check_in,
          ${timeExpression(checkOut, '11:00')} as check_out) instant,
      lateral (
        select ${nightExpression(checkIn, 'instant.check_in')} as arrival,
          ${nightExpression(checkOut, 'instant.check_out')} as departure
        offset 0) stay
      where unit.org_id = ${transaction.orgId}
        and unit.id = ${stay.unitId}
        and unit.deleted_at is null`,
  )
  return facts
}

// One SQL text for each kind: PostgreSQL can then use a generic plan.
const timeExpression = ({ text, kind }: StayTime, defaultTime: '15:00' | '11:00') => {
  if (kind === 'day') return sql`(${text}::date + time ${sql.lit(defaultTime)}) at time zone space.timezone`
  if (kind === 'local') return sql`${text}::timestamp at time zone space.timezone`
  return sql`${text}::timestamptz`
}
const nightExpression = ({ night }: StayTime, moment: string) =>
  night === null ? sql`(${sql.ref(moment)} at time zone space.timezone)::date` : sql`${night}::date`

/** A locked booking with its local times. */
export interface LockedBooking extends StoredRecord {
  readonly fields: Booking
  readonly local_check_in: string
  readonly local_check_out: string
  /** The local date of the space. */
  readonly today: string
  readonly hold_has_expired: boolean
}

/**
 * Serializes the changes of one booking by an advisory lock, then locks the units in order, and the booking. Only a
 * PMS, which takes another lock, may have moved it meanwhile to another unit.
 */
export async function lockBooking(
  transaction: Transaction,
  id: string,
  toUnitId: string | null,
): Promise<LockedBooking | undefined> {
  const { orgId } = transaction
  const [, units, found] = await Promise.all([
    rows(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${`${orgId} ${id}`}, 12))`),
    rows(
      transaction,
      sql<{ id: string }>`select id from units where org_id = ${orgId} and id in (${toUnitId}::uuid,
        (select unit_id from bookings where org_id = ${orgId} and id = ${id})) order by id for no key update`,
    ),
    rows(
      transaction,
      sql`select 1 from bookings where org_id = ${orgId} and id = ${id} and deleted_at is null for update`,
    ),
  ])
  if (found.length === 0) return undefined
  const [row] = await readLocked(transaction, id)
  if (!units.some((unit) => unit.id === row!.fields.unitId))
    // Reported as a serialization failure, so that the transaction runs again: units are locked before bookings.
    throw Object.assign(new Error('The booking has moved to another unit meanwhile.'), { code: '40001' })
  return row
}

const readLocked = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql<LockedBooking>`
      select booking.json, booking.version,
        booking.json::jsonb || jsonb_build_object('spaceId', unit.space_id) as fields,
        to_char(booking.check_in at time zone space.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_in,
        to_char(booking.check_out at time zone space.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_out,
        (now() at time zone space.timezone)::date as today,
        coalesce(booking.hold_expires_at <= now(), false) as hold_has_expired
      from bookings booking
      join units unit
        on unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where booking.org_id = ${transaction.orgId}
        and booking.id = ${id}`,
  )
