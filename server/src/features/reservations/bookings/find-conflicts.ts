import { sql } from '#db/sql.ts'
import { type Scope, rows } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import type { AlternativeArea } from './booking.ts'
import type { FullNight, StayFacts } from './stay-queries.ts'

/** A stay without room. Nothing was written: the conflicts are read after the lock is released. */
export class Overbooked {
  readonly stay: OverbookedStay
  readonly nights: readonly FullNight[]

  constructor(
    facts: StayFacts,
    { rooms, guests, bookingId }: Pick<OverbookedStay, 'rooms' | 'guests' | 'bookingId'>,
  ) {
    const { unit_id: unitId, space_id: spaceId, arrival, departure, full_nights: nights } = facts
    this.stay = {
      unitId,
      spaceId,
      arrival,
      departure,
      rooms,
      guests,
      bookingId,
      fullNights: nights.map(({ night }) => night),
    }
    this.nights = nights
  }
}

/** The bookings and blocks that have the rooms. */
export async function findConflicts(scope: Scope, { stay }: Overbooked): Promise<object[]> {
  const [bookings, blocks] = await Promise.all([
    findConflictingBookings(scope, stay),
    findConflictingBlocks(scope, stay),
  ])
  return [...bookings, ...blocks.map((block) => ({ block }))]
}

const maxAlternatives = 5

/** The problem with the conflicts, and with up to five units that have room. */
async function buildConflict(scope: Scope, overbooked: Overbooked, area: AlternativeArea): Promise<Conflict> {
  const [conflicts, near] = await Promise.all([
    findConflicts(scope, overbooked),
    findFreeUnits(scope, overbooked.stay, 'space', maxAlternatives),
  ])
  const left = maxAlternatives - near.length
  const far = left > 0 ? await findFreeUnits(scope, overbooked.stay, area, left) : []
  const [first, ...others] = overbooked.nights
  const more = others.length > 0 ? ` and ${others.length} more of the nights` : ''
  const wanted = overbooked.stay.rooms === 1 ? 'No room is' : `No ${overbooked.stay.rooms} rooms are`
  return new Conflict('booking-conflict', `${wanted} free on ${first!.night}${more}.`, {
    members: { conflicts, alternatives: [...near, ...far].map(({ id }) => id), nights: overbooked.nights },
  })
}

/** @throws Conflict when the outcome is Overbooked */
export async function throwIfOverbooked<T>(
  scope: Scope,
  outcome: T | Overbooked,
  area: AlternativeArea = 'city',
): Promise<T> {
  if (outcome instanceof Overbooked) throw await buildConflict(scope, outcome, area)
  return outcome
}

interface OverbookedStay {
  readonly unitId: string
  readonly spaceId: string
  readonly arrival: string
  readonly departure: string
  readonly rooms: number
  readonly guests: number
  /** The booking that is moved; null for a new one. */
  readonly bookingId: string | null
  readonly fullNights: readonly string[]
}

export interface ConflictingBooking {
  readonly booking_id: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: number
}

/** The bookings that have the rooms on the full nights. */
export const findConflictingBookings = (
  scope: Scope,
  stay: Omit<OverbookedStay, 'spaceId' | 'rooms' | 'guests'>,
) =>
  rows(
    scope,
    sql<ConflictingBooking>`
      select booking.id as booking_id, booking.arrival as check_in, booking.departure as check_out, booking.rooms
      from bookings booking
      where booking.org_id = ${scope.orgId}
        and booking.unit_id = ${stay.unitId}
        and booking.deleted_at is null
        and takes_room(booking.status)
        and booking.departure > ${stay.arrival}::date
        and booking.arrival < ${stay.departure}::date
        and booking.id is distinct from ${stay.bookingId}::uuid
        and exists (
          select 1
          from unnest(${stay.fullNights}::date[]) night
          where night <@ booking.nights)
      order by booking.arrival, booking.id
      limit 50`,
  )

interface ConflictingBlock {
  readonly date_from: string
  readonly date_to: string
  readonly rooms: number
  readonly reason: string | null
}

/** The blocks of rooms on the full nights; equal blocks of adjacent nights are one range. */
const findConflictingBlocks = (scope: Scope, stay: OverbookedStay) =>
  rows(
    scope,
    sql<ConflictingBlock>`
      select min(night) as date_from, max(night) as date_to, blocked as rooms, reason
      from (
        select night, source, blocked, reason,
          night - (row_number() over (partition by source, blocked, reason order by night))::int as run
        from calendar_blocks
        where org_id = ${scope.orgId}
          and unit_id = ${stay.unitId}
          and night = any(${stay.fullNights}::date[])) block
      group by source, blocked, reason, run
      order by date_from, rooms desc
      limit 50`,
  )

/** Limits the response time in a large organization where nothing is free. */
const maxUnitsChecked = 200

/** No index serves `is not distinct from`, so the city is compared as one that is known or as none. */
const inSameCity = ({ orgId }: Scope, { spaceId }: OverbookedStay) => sql`
  and space.id in (
    select near.id
    from spaces own
    join spaces near
      on near.org_id = own.org_id
      and (near.city_key = own.city_key or (near.city_key is null and own.city_key is null))
      and near.country is not distinct from own.country
    where own.org_id = ${orgId}
      and own.id = ${spaceId})`

/** Units with room for the stay: in the same space, or in other spaces of an area. */
const findFreeUnits = (scope: Scope, stay: OverbookedStay, area: 'space' | AlternativeArea, limit: number) =>
  rows(
    scope,
    sql<{ id: string }>`
      select unit.id
      from (
        select unit.id, unit.quantity, unit.created_at
        from units unit
        join spaces space
          on space.org_id = unit.org_id
          and space.id = unit.space_id
          and space.status = 'active'
        where unit.org_id = ${scope.orgId}
          and unit.status = 'active'
          and unit.id <> ${stay.unitId}
          and unit.space_id ${area === 'space' ? sql`=` : sql`<>`} ${stay.spaceId}
          ${area === 'city' ? inSameCity(scope, stay) : sql``}
          and unit.quantity >= ${stay.rooms}
          and unit.max_guests * ${stay.rooms}::int >= ${stay.guests}
        order by unit.created_at, unit.id
        limit ${maxUnitsChecked}) unit
      where not exists (
        select 1
        from nights_taken(${scope.orgId}, array[unit.id], ${stay.arrival}::date, ${stay.departure}::date - 1) taken
        where taken.booked + taken.blocked + ${stay.rooms} > unit.quantity)
      order by unit.created_at, unit.id
      limit ${limit}`,
  )
