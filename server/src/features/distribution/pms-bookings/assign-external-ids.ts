import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import type { Booking } from '#features/reservations/bookings/booking.ts'
import { matchLines, newExternalId, type KnownLine } from './match-lines.ts'
import type { StoredPmsBooking } from './queries.ts'

/** The lines of a revision, each with the external id of its booking here. */
export interface AssignedLines {
  /** The external id of the booking that stands for each line, in the order of the lines. */
  readonly externalIds: readonly string[]
  /** All lines as they are stored from now on. */
  readonly known: readonly KnownLine[]
}

/** Gives each line the external id of the known line that it continues; a new line gets a new id. */
export function assignExternalIds(
  booking: PmsBooking,
  stored: StoredPmsBooking,
  bookings: ReadonlyMap<string, Booking>,
): AssignedLines {
  const before = stored.external_ids.map(
    (externalId) =>
      stored.known_lines.find(({ external_id }) => external_id === externalId) ??
      describeBooking(booking.id, externalId, bookings.get(externalId), stored.cancelled),
  )
  const matches = matchLines(before, booking.lines)
  const taken = new Set(stored.external_ids)
  const externalIds = booking.lines.map(({ key }, at) => {
    const externalId = matches[at]?.external_id ?? newExternalId(booking.id, key, taken)
    taken.add(externalId)
    return externalId
  })
  const now = booking.lines.map(({ id, listing, arrival, departure, guests }, at): KnownLine => ({
    external_id: externalIds[at]!,
    ...(id !== undefined && { id }),
    ...{ listing, arrival, departure, guests },
    is_removed: false,
    ...(matches[at]?.applied && { applied: matches[at].applied }),
  }))
  const isComplete = listsAllRooms(booking)
  const others = before.filter((one) => !matches.includes(one))
  return {
    externalIds,
    known: [...now, ...others.map((one) => ({ ...one, is_removed: one.is_removed || isComplete }))],
  }
}

/**
 * Whether a missing line was removed at the PMS. A line without a room may be the missing one, so nothing is released
 * while there is such a line, or no line at all. A reservation that has ended can come back with all its lines.
 */
export const listsAllRooms = ({ status, lines }: PmsBooking): boolean =>
  !endsBooking(status) && lines.length > 0 && lines.every(({ listing }) => listing !== null)

const endStatuses: readonly string[] = ['cancelled', 'declined', 'expired', 'inquiry']
export const endsBooking = (status: PmsBooking['status']): boolean => endStatuses.includes(status)

/** A line that was stored without its details: the external id holds the room, and the booking the rest. */
function describeBooking(
  reservationId: string,
  externalId: string,
  booking: Booking | undefined,
  isCancelled: boolean,
): KnownLine {
  const room = externalId.startsWith(`${reservationId}#`)
    ? externalId.slice(reservationId.length + 1).replace(/\.\d+$/, '')
    : null
  return {
    external_id: externalId,
    listing: room,
    arrival: booking?.arrival ?? null,
    departure: booking?.departure ?? null,
    guests: booking?.guests ?? null,
    is_removed: booking?.status === 'cancelled' && !isCancelled,
  }
}
