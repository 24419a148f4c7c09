import type { PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import { takesRooms, type Booking } from '#features/reservations/bookings/booking.ts'
import type { AppliedStay } from './match-lines.ts'
import type { LinkedRoom } from './queries.ts'

interface MergedStay {
  readonly line: PmsBookingLine
  /** Whether the booking stays in another unit than that of its room, because a user moved it there. */
  readonly isMovedHere: boolean
}

/**
 * Merges the stay that a PMS sends into the stored one: what the PMS has not changed of unit, dates and rooms since
 * it was applied last stays as users changed it here. Otherwise a changed note would undo an extension, and sell its nights
 * twice, or take the nights again that an early check-out freed.
 */
export function mergeStay(
  line: PmsBookingLine,
  room: LinkedRoom | undefined,
  before: Booking | undefined,
  applied: AppliedStay | undefined,
): MergedStay {
  if (!before || !applied || !takesRooms(before.status)) return { line, isMovedHere: false }
  const arrival = applied.arrival === line.arrival ? before.arrival : line.arrival
  const departure = applied.departure === line.departure ? before.departure : line.departure
  const isStay = arrival !== null && departure !== null && arrival < departure
  const rooms = applied.rooms === line.rooms ? before.rooms : line.rooms
  const hasOldRoom =
    applied.listing === undefined ? room?.unit_id === applied.unit_id : applied.listing === line.listing
  return {
    line: { ...line, rooms, ...(isStay && { arrival, departure }) },
    isMovedHere: hasOldRoom && before.unitId !== applied.unit_id,
  }
}
