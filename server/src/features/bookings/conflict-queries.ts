import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'

export interface Asked {
  readonly unitId: string
  readonly spaceId: string
  readonly arrival: string
  readonly departure: string
  readonly rooms: number
  readonly guests: number
  /** The booking that wants to move. */
  readonly self: string | null
  readonly full: readonly string[]
}

export interface ConflictingBooking {
  readonly booking_id: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: number
}

/** Who has the rooms on those of the nights that are full. */
export const conflictingBookings = (scope: Scope, asked: Omit<Asked, 'spaceId' | 'rooms' | 'guests'>) =>
  rows(
    scope,
    sql<ConflictingBooking>`select b.id as booking_id, b.arrival as check_in, b.departure as check_out, b.rooms
      from bookings b
      where b.org_id = ${scope.orgId} and b.unit_id = ${asked.unitId} and b.deleted_at is null
        and b.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
        and b.departure > ${asked.arrival}::date and b.arrival < ${asked.departure}::date
        and b.id is distinct from ${asked.self}::uuid
        and exists (select 1 from unnest(${asked.full}::date[]) n where n <@ b.nights)
      order by b.arrival, b.id limit 50`,
  )

export interface ConflictingBlock {
  readonly date_from: string
  readonly date_to: string
  readonly rooms: number
  readonly reason: string | null
}

/** What blocks the rooms on those nights, equal neighbours joined. */
export const conflictingBlocks = (scope: Scope, asked: Asked) =>
  rows(
    scope,
    sql<ConflictingBlock>`select min(night) as date_from, max(night) as date_to, blocked as rooms, reason
      from (select night, source, blocked, reason,
          night - (row_number() over (partition by source, blocked, reason order by night))::int as run
        from calendar_blocks where org_id = ${scope.orgId} and unit_id = ${asked.unitId}
          and night = any(${asked.full}::date[])) b
      group by source, blocked, reason, run order by 1, 3 desc limit 50`,
  )

/** How many units of a large organization are looked at: an answer must come soon, also where nothing is free. */
const mostLooked = 200

/** Where the alternatives to a refused stay may lie: in the city of its space, or in any space of the organization. */
export const alternativeAreas = ['city', 'anywhere'] as const
export type AlternativeArea = (typeof alternativeAreas)[number]

const inSameCity = (
  { orgId }: Scope,
  { spaceId }: Asked,
) => sql`and (lower(s.city), s.country) is not distinct from (
  select (lower(city), country) from spaces where org_id = ${orgId} and id = ${spaceId})`

/** Units that can take the stay: of the space itself, or of other spaces in an area. */
export const freeUnits = (scope: Scope, asked: Asked, area: 'space' | AlternativeArea, limit: number) =>
  rows(
    scope,
    sql<{ id: string }>`select u.id from (
        select u.id, u.quantity, u.created_at from units u
          join spaces s on s.org_id = u.org_id and s.id = u.space_id and s.status = 'active'
        where u.org_id = ${scope.orgId} and u.status = 'active' and u.id <> ${asked.unitId}
          and u.space_id ${area === 'space' ? sql`=` : sql`<>`} ${asked.spaceId}
          ${area === 'city' ? inSameCity(scope, asked) : sql``}
          and u.quantity >= ${asked.rooms} and u.max_guests * ${asked.rooms}::int >= ${asked.guests}
        order by u.created_at, u.id limit ${mostLooked}) u
      where not exists (select 1
        from nights_taken(${scope.orgId}, array[u.id], ${asked.arrival}::date, ${asked.departure}::date - 1) t
        where t.booked + t.blocked + ${asked.rooms} > u.quantity)
      order by u.created_at, u.id limit ${limit}`,
  )
