import type { PmsBooking } from '#outside/pms/pms-booking.ts'
import type { Booking } from '../bookings/booking.ts'
import { matchLines, newExternalId, type KnownLine } from './match-lines.ts'
import type { Heard } from './queries.ts'

/** What the lines of a revision are called here. */
export interface NamedLines {
  /** The external id of the booking that stands for each line, in the order of the lines. */
  readonly externalIds: readonly string[]
  /** All lines as they are known from now on. */
  readonly known: readonly KnownLine[]
}

/** Gives each line the external id of the line that it continues; a line that is new gets one of its own. */
export function nameLines(
  booking: PmsBooking,
  heard: Heard,
  bookings: ReadonlyMap<string, Booking>,
): NamedLines {
  const before = heard.lines.map(
    (name) =>
      heard.known_lines.find(({ external_id }) => external_id === name) ??
      describeBooking(booking.id, name, bookings.get(name), heard.cancelled),
  )
  const matches = matchLines(before, booking.lines)
  const taken = new Set(heard.lines)
  const externalIds = booking.lines.map(({ key }, at) => {
    const name = matches[at]?.external_id ?? newExternalId(booking.id, key, taken)
    taken.add(name)
    return name
  })
  const now = booking.lines.map(({ id, listing, arrival, departure, guests }, at): KnownLine => ({
    external_id: externalIds[at]!,
    ...(id !== undefined && { id }),
    ...{ listing, arrival, departure, guests },
    is_removed: false,
  }))
  const removes = saysWhatIsRemoved(booking)
  const others = before.filter((one) => !matches.includes(one))
  return {
    externalIds,
    known: [...now, ...others.map((one) => ({ ...one, is_removed: one.is_removed || removes }))],
  }
}

/**
 * Whether a line that is missing was taken out. While a line does not say its room, or no line is told at all, nothing
 * is given back: it may be the very one. A reservation that is over can come back with all its lines.
 */
export const saysWhatIsRemoved = ({ status, lines }: PmsBooking): boolean =>
  !isOver(status) && lines.length > 0 && lines.every(({ listing }) => listing !== null)

const ends: readonly string[] = ['cancelled', 'declined', 'expired', 'inquiry']
export const isOver = (status: PmsBooking['status']): boolean => ends.includes(status)

/** A line that the release before this one has written: its name says the room, and its booking the rest. */
function describeBooking(
  reservationId: string,
  name: string,
  booking: Booking | undefined,
  isCancelled: boolean,
): KnownLine {
  const room = name.startsWith(`${reservationId}#`)
    ? name.slice(reservationId.length + 1).replace(/\.\d+$/, '')
    : null
  return {
    external_id: name,
    listing: room,
    arrival: booking?.arrival ?? null,
    departure: booking?.departure ?? null,
    guests: booking?.guests ?? null,
    is_removed: booking?.status === 'cancelled' && !isCancelled,
  }
}
