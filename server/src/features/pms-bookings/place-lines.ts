import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#nights.ts'
import type { PmsBookingLine } from '#outside/pms/pms-booking.ts'
import { applyExternalBooking, type Applied, type ExternalBooking } from '../bookings/apply-booking.ts'
import type { Booking } from '../bookings/booking.ts'
import {
  countRoomsLater,
  countRoomsNow,
  loadFreeRooms,
  loadRoomsTaken,
  type RoomsOfStay,
} from './place-queries.ts'
import type { LinkedRoom } from './queries.ts'

/** A line of a revision, the unit that its room is linked to, and the booking here that it continues. */
export interface RevisedLine {
  readonly externalId: string
  readonly line: PmsBookingLine
  readonly room: LinkedRoom | undefined
  readonly before: Booking | undefined
}

export type PlaceableLine = RevisedLine & {
  readonly room: LinkedRoom
  readonly line: PmsBookingLine & { readonly arrival: string; readonly departure: string }
}

export const isPlaceable = (line: RevisedLine): line is PlaceableLine =>
  line.room !== undefined && line.line.arrival !== null && line.line.departure !== null

interface Placed {
  readonly line: PlaceableLine
  readonly external: ExternalBooking
  readonly applied: Applied
}

/**
 * Applies the lines in turns until no more of them find room. Those that are left may stand in each other's way: what
 * fits when all of them move at once is moved at once.
 */
export async function placeLines(
  transaction: Transaction,
  lines: readonly PlaceableLine[],
  externalOf: (line: PlaceableLine) => ExternalBooking,
): Promise<Placed[]> {
  const placed: Placed[] = []
  for (let left = lines; left.length > 0;) {
    const refused: Placed[] = []
    for (const line of left) {
      const external = externalOf(line)
      const applied = await applyExternalBooking(transaction, external)
      ;(applied.outcome === 'conflict' ? refused : placed).push({ line, external, applied })
    }
    if (refused.length === left.length) {
      const together = await placeTogether(transaction, refused)
      placed.push(...together)
      left = remaining(left, together)
      if (together.length === 0) return [...placed, ...refused]
    } else left = refused.map(({ line }) => line)
  }
  return placed
}

const remaining = (lines: readonly PlaceableLine[], placed: readonly Placed[]) =>
  lines.filter((line) => !placed.some((one) => one.line === line))

async function placeTogether(transaction: Transaction, refused: readonly Placed[]): Promise<Placed[]> {
  const waiting = refused.filter(({ applied }) => applied.reason === 'no-room')
  const targetId = waiting[0]?.external.targetId
  if (targetId === undefined || waiting.length < 2) return []
  const names = waiting.map(({ external }) => external.externalId)
  const taken = await loadRoomsTaken(transaction, targetId, names)
  const free = await loadFreeRooms(transaction, [...waiting.map(wantedBy), ...taken.values()])
  const group = fittingTogether(waiting, taken, free)
  if (group.length === 0) return []
  await countRoomsLater(transaction)
  const placed: Placed[] = []
  for (const one of group)
    placed.push({ ...one, applied: await applyExternalBooking(transaction, one.external, 'rooms-are-free') })
  await countRoomsNow(transaction)
  return placed
}

const wantedBy = ({ external: { unitId, arrival, departure, rooms } }: Placed): RoomsOfStay => ({
  unitId,
  arrival,
  departure,
  rooms,
})

/** Leaves out whatever does not fit although the others leave, until the rest fits together. */
function fittingTogether(
  waiting: readonly Placed[],
  taken: ReadonlyMap<string, RoomsOfStay>,
  free: Awaited<ReturnType<typeof loadFreeRooms>>,
): readonly Placed[] {
  for (let group = waiting; group.length > 1;) {
    const rooms = roomCounter(free)
    for (const { external } of group) {
      const stay = taken.get(external.externalId)
      if (stay) rooms.giveBack(stay)
    }
    const misfit = group.find((one) => !rooms.take(wantedBy(one)))
    if (!misfit) return group
    group = group.filter((one) => one !== misfit)
  }
  return []
}

function roomCounter(free: Awaited<ReturnType<typeof loadFreeRooms>>) {
  const units = new Map(
    free.map(({ unit_id, quantity, nights }) => [
      unit_id,
      { quantity, free: new Map(nights.map(({ night, free: count }) => [night, count])) },
    ]),
  )
  const add = ({ unitId, arrival, departure }: RoomsOfStay, rooms: number) => {
    const unit = units.get(unitId.toLowerCase())
    let least = Infinity
    for (let night = nightOf(arrival); unit && night < nightOf(departure); night++) {
      const date = dateOf(night)
      const left = (unit.free.get(date) ?? unit.quantity) + rooms
      unit.free.set(date, left)
      least = Math.min(least, left)
    }
    return least
  }
  return {
    giveBack: (stay: RoomsOfStay) => add(stay, stay.rooms),
    /** Whether every night has had enough. */
    take: (stay: RoomsOfStay) => add(stay, -stay.rooms) >= 0,
  }
}
