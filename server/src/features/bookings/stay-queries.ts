import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import type { Stored } from '#http/replies.ts'
import type { Booking } from './booking.ts'

/** A point in time as it was said: a day, an instant, or a time where the space is. */
export interface Said {
  readonly text: string
  readonly kind: 'day' | 'instant' | 'local'
  /** The local date that it stands for, where that is settled already. */
  readonly night: string | null
}

export const said = (text: string): Said => ({
  text,
  kind: text.length === 10 ? 'day' : 'instant',
  night: null,
})

/** What a stay is asked to be. */
export interface AskedStay {
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly checkIn: Said
  readonly checkOut: Said
  readonly rooms: number
  /** What the booking itself has already: these rooms on these nights of this unit. */
  readonly held: { readonly rooms: number; readonly from: string; readonly to: string } | null
}

export interface FullNight {
  readonly night: string
  readonly booked: number
  readonly blocked: number
}

/** A stay against what is stored, once nobody else can take its rooms. */
export interface StayFacts {
  readonly unit_id: string
  readonly account_id: string
  readonly space_id: string
  readonly max_guests: number
  readonly quantity: number
  readonly min_price_cents: number | null
  readonly currency: string
  readonly bookable: boolean
  /** Whether any listing sells it; none can be made while the unit is locked. */
  readonly listed: boolean
  readonly rate_plan_id: string | null
  readonly check_in: string
  readonly check_out: string
  readonly arrival: string
  readonly departure: string
  readonly nights: number
  /** The date where the space is. */
  readonly today: string
  /** Nights without enough rooms, of those that the booking does not have already. */
  readonly full: readonly FullNight[]
}

/** In the order of their ids, whatever is asked of them. */
export const lockUnits = (transaction: Transaction, ids: readonly string[]) =>
  rows(
    transaction,
    sql`select 1 from units where org_id = ${transaction.orgId} and id = any(${ids}::uuid[]) order by id for no key update`,
  )

/** The unit must be locked. Days and zones are PostgreSQL's, so that no clock of this process has a say. */
export async function weighStay(transaction: Transaction, stay: AskedStay): Promise<StayFacts | undefined> {
  const { checkIn, checkOut, held, rooms: asked } = stay
  const [facts] = await rows(
    transaction,
    sql<StayFacts>`select u.id as unit_id, u.account_id, u.space_id, u.max_guests, u.quantity,
        u.min_price_cents::float8, u.currency,
        u.status = 'active' and s.status = 'active' as bookable,
        exists (select 1 from channel_listings l where l.org_id = u.org_id and l.unit_id = u.id) as listed,
        p.id as rate_plan_id,
        t.check_in, t.check_out, d.arrival, d.departure, d.departure - d.arrival as nights,
        (now() at time zone s.timezone)::date as today,
        (select coalesce(json_agg(json_build_object('night', n.night, 'booked', n.booked, 'blocked', n.blocked)
            order by n.night), '[]')
          from nights_taken(u.org_id, array[u.id], d.arrival, d.departure - 1) n,
            lateral (select case when n.night >= ${held?.from ?? null}::date and n.night < ${held?.to ?? null}::date
              then ${held?.rooms ?? 0}::int else 0 end as held) h
          where ${asked} > h.held and n.booked - h.held + n.blocked + ${asked} > u.quantity) as full
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
      left join rate_plans p on p.org_id = u.org_id and p.unit_id = u.id
        and ${stay.ratePlanId === null ? sql`p.is_default` : sql`p.id = ${stay.ratePlanId}`},
      lateral (select ${moment(checkIn, '15:00')} as check_in, ${moment(checkOut, '11:00')} as check_out) t,
      lateral (select ${nightOf(checkIn, 't.check_in')} as arrival, ${nightOf(checkOut, 't.check_out')} as departure) d
      where u.org_id = ${transaction.orgId} and u.id = ${stay.unitId} and u.deleted_at is null`,
  )
  return facts
}

// A text of its own for each way to say it: PostgreSQL plans a text once that has nothing to decide, and otherwise each time.
const moment = ({ text, kind }: Said, usual: '15:00' | '11:00') => {
  if (kind === 'day') return sql`(${text}::date + time ${sql.lit(usual)}) at time zone s.timezone`
  if (kind === 'local') return sql`${text}::timestamp at time zone s.timezone`
  return sql`${text}::timestamptz`
}
const nightOf = ({ night }: Said, moment: string) =>
  night === null ? sql`(${sql.ref(moment)} at time zone s.timezone)::date` : sql`${night}::date`

/** A booking and its times where the space is. */
export interface LockedBooking extends Stored {
  readonly fields: Booking
  readonly local_check_in: string
  readonly local_check_out: string
  /** The date there. */
  readonly today: string
  readonly hold_is_over: boolean
}

/**
 * Changes of one booking come one after the other, each from where the one before has put it; then the units are
 * locked, in order, and the booking. Only a PMS may have moved it meanwhile to a unit that is not among them.
 */
export async function lockBooking(
  transaction: Transaction,
  id: string,
  toUnitId: string | null,
): Promise<LockedBooking | undefined> {
  const { orgId } = transaction
  const [, units, found] = await Promise.all([
    rows(
      transaction,
      sql`select pg_advisory_xact_lock(hashtextextended(${`${orgId} ${id.toLowerCase()}`}, 12))`,
    ),
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
    // Tried again from the start, because the units must be locked before the booking.
    throw Object.assign(new Error('The booking has moved to another unit meanwhile.'), { code: '40001' })
  return row
}

const readLocked = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql<LockedBooking>`select b.json, b.version,
        b.json::jsonb || jsonb_build_object('spaceId', u.space_id) as fields,
        to_char(b.check_in at time zone s.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_in,
        to_char(b.check_out at time zone s.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_out,
        (now() at time zone s.timezone)::date as today, coalesce(b.hold_expires_at <= now(), false) as hold_is_over
      from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where b.org_id = ${transaction.orgId} and b.id = ${id}`,
  )
