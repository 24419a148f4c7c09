import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import {
  applyExternalBooking,
  type ApplyResult,
  type ExternalBooking,
} from '#features/reservations/bookings/apply-booking.ts'
import type { Booking } from '#features/reservations/bookings/booking.ts'
import type { LinkedRoom } from './queries.ts'

/** A line of a revision, with the unit that its room is linked to and the booking here that it continues. */
export interface RevisedLine {
  readonly externalId: string
  readonly line: PmsBookingLine
  readonly room: LinkedRoom | undefined
  readonly before: Booking | undefined
  /** Whether the booking stays in another unit than that of its room, because a user moved it there. */
  readonly isMovedHere: boolean
}

export type PlaceableLine = RevisedLine & {
  readonly room: LinkedRoom
  readonly line: PmsBookingLine & { readonly arrival: string; readonly departure: string }
}

export const isPlaceable = (line: RevisedLine): line is PlaceableLine =>
  line.room !== undefined && line.line.arrival !== null && line.line.departure !== null

interface Placement {
  readonly line: PlaceableLine
  readonly external: ExternalBooking
  readonly applied: ApplyResult
}

/**
 * Applies the lines in rounds until no more of them find a room. The rest may block each other: those that fit when all
 * of them move at once are moved together.
 */
export async function placeLines(
  transaction: Transaction,
  lines: readonly PlaceableLine[],
  externalOf: (line: PlaceableLine) => ExternalBooking,
): Promise<Placement[]> {
  const placed: Placement[] = []
  for (let waiting = lines; waiting.length > 0;) {
    const unplaced: Placement[] = []
    for (const line of waiting) {
      const external = externalOf(line)
      const applied = await applyExternalBooking(transaction, external)
      ;(applied.outcome === 'conflict' ? unplaced : placed).push({ line, external, applied })
    }
    if (unplaced.length === waiting.length) {
      const together = await placeTogether(transaction, unplaced)
      placed.push(...together)
      waiting = withoutPlaced(waiting, together)
      if (together.length === 0) return [...placed, ...unplaced]
    } else waiting = unplaced.map(({ line }) => line)
  }
  return placed
}

const withoutPlaced = (lines: readonly PlaceableLine[], placed: readonly Placement[]) =>
  lines.filter((line) => !placed.some((one) => one.line === line))

async function placeTogether(transaction: Transaction, unplaced: readonly Placement[]): Promise<Placement[]> {
  const waiting = unplaced.filter(({ applied }) => applied.reason === 'no-room')
  const targetId = waiting[0]?.external.targetId
  if (targetId === undefined || waiting.length < 2) return []
  const externalIds = waiting.map(({ external }) => external.externalId)
  const taken = await loadRoomsTaken(transaction, targetId, externalIds)
  const free = await loadFreeRooms(transaction, [...waiting.map(requestedRooms), ...taken.values()])
  const group = findFittingGroup(waiting, taken, free)
  if (group.length === 0) return []
  await deferRoomCheck(transaction)
  const placed: Placement[] = []
  for (const one of group)
    placed.push({ ...one, applied: await applyExternalBooking(transaction, one.external, 'rooms-are-free') })
  await runRoomCheck(transaction)
  return placed
}

const requestedRooms = ({ external: { unitId, arrival, departure, rooms } }: Placement): RoomsOfStay => ({
  unitId,
  arrival,
  departure,
  rooms,
})

/** Removes what does not fit even when the others move, until the rest fits together. */
function findFittingGroup(
  waiting: readonly Placement[],
  taken: ReadonlyMap<string, RoomsOfStay>,
  free: readonly FreeRooms[],
): readonly Placement[] {
  for (let group = waiting; group.length > 1;) {
    const rooms = createRoomCounter(free)
    for (const { external } of group) {
      const stay = taken.get(external.externalId)
      if (stay) rooms.release(stay)
    }
    const misfit = group.find((one) => !rooms.take(requestedRooms(one)))
    if (!misfit) return group
    group = group.filter((one) => one !== misfit)
  }
  return []
}

function createRoomCounter(free: readonly FreeRooms[]) {
  const units = new Map(
    free.map(({ unit_id, quantity, nights }) => [
      unit_id,
      { quantity, free: new Map(nights.map(({ night, free: count }) => [night, count])) },
    ]),
  )
  const add = ({ unitId, arrival, departure }: RoomsOfStay, rooms: number) => {
    const unit = units.get(unitId)
    let minLeft = Infinity
    for (let night = nightOf(arrival); unit && night < nightOf(departure); night++) {
      const date = dateOf(night)
      const left = (unit.free.get(date) ?? unit.quantity) + rooms
      unit.free.set(date, left)
      minLeft = Math.min(minLeft, left)
    }
    return minLeft
  }
  return {
    release: (stay: RoomsOfStay) => add(stay, stay.rooms),
    /** Whether every night had enough rooms. */
    take: (stay: RoomsOfStay) => add(stay, -stay.rooms) >= 0,
  }
}

/** The rooms that a booking occupies, or requests. */
export interface RoomsOfStay {
  readonly unitId: string
  readonly arrival: string
  readonly departure: string
  readonly rooms: number
}

/** The free rooms of a unit by night; on a night that is missing, all rooms are free. */
interface FreeRooms {
  readonly unit_id: string
  readonly quantity: number
  readonly nights: readonly { readonly night: string; readonly free: number }[]
}

/** The caller has locked the units. */
const loadFreeRooms = (transaction: Transaction, stays: readonly RoomsOfStay[]) =>
  rows(
    transaction,
    sql<FreeRooms>`
      with period as (
        select unit_id, min(arrival) as first_night, max(departure) - 1 as last_night
        from jsonb_to_recordset(${JSON.stringify(stays.map(toRow))}::jsonb)
          as stay (unit_id uuid, arrival date, departure date)
        group by unit_id)
      select unit.id as unit_id, unit.quantity,
        (
          select coalesce(
            json_agg(json_build_object('night', taken.night, 'free', unit.quantity - taken.booked - taken.blocked)),
            '[]')
          from nights_taken(unit.org_id, array[unit.id], period.first_night, period.last_night) taken) as nights
      from units unit
      join period
        on period.unit_id = unit.id
      where unit.org_id = ${transaction.orgId}
        and unit.id = any(array(select unit_id from period))`,
  )

const toRow = ({ unitId, arrival, departure }: RoomsOfStay) => ({ unit_id: unitId, arrival, departure })

/** The rooms that bookings occupy now, by external id; a booking without rooms is left out. */
async function loadRoomsTaken(
  transaction: Transaction,
  targetId: string,
  externalIds: readonly string[],
): Promise<Map<string, RoomsOfStay>> {
  const stays = await rows(
    transaction,
    sql<RoomsOfStay & { external_id: NotNull<string> }>`
      select external_id, unit_id as "unitId", arrival, departure, rooms
      from bookings
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and external_id = any(${externalIds}::text[])
        and deleted_at is null
        and takes_room(status)`,
  )
  return new Map(stays.map(({ external_id, ...stay }) => [external_id, stay]))
}

/** Defers the check that the rooms of changed bookings fit, until `runRoomCheck` or the commit. */
const deferRoomCheck = (transaction: Transaction) =>
  rows(transaction, sql`set constraints bookings_still_fit_rooms deferred`)

const runRoomCheck = (transaction: Transaction) =>
  rows(transaction, sql`set constraints bookings_still_fit_rooms immediate`)
