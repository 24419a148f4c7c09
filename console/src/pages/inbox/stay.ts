import type { contract } from '@vacancy/client'

type Conflict = contract.BookingConflict

/** The stay that a PMS or a calendar sold, as far as it is known. */
export interface Stay {
  guestName: string | null
  arrival: string | null
  departure: string | null
  guests: number
  rooms: number
  totalCents: number | null
  currency: string | null
  /** Of the booking at the PMS, of its room and of its rate plan there. */
  number: string | null
  room: string | null
  plan: string | null
}

interface Line {
  /** The end of the external id of its booking. */
  key?: string
  arrival?: string | null
  departure?: string | null
  guests?: number
  rooms?: number
  totalCents?: number | null
  listing?: string | null
  plan?: string | null
}

/** A booking of several rooms has a line for each; the conflict is about one of them. */
export const stayOf = ({ booking, external_id, reason }: Conflict): Stay => {
  const { id, guestName, currency, lines, ...days } = booking as {
    id?: string
    guestName?: string | null
    currency?: string | null
    lines?: Line[]
  } & Line
  const [importedArrival, importedDeparture] = external_id.split('/')
  const line: Line =
    reason === 'imported_reservation'
      ? { arrival: importedArrival ?? null, departure: importedDeparture ?? null }
      : (lineOf(external_id.slice(`${id}#`.length), lines ?? []) ?? lines?.[0] ?? days)
  return {
    guestName: guestName ?? null,
    arrival: line.arrival ?? null,
    departure: line.departure ?? null,
    guests: Math.max(1, line.guests ?? 1),
    rooms: Math.max(1, line.rooms ?? 1),
    totalCents: line.totalCents ?? null,
    currency: currency ?? null,
    number: id ?? null,
    room: line.listing ?? null,
    plan: line.plan ?? null,
  }
}

/** An external id ends in the key of its line, and in `.2` after it where it is the second line of this key. */
const lineOf = (end: string, lines: readonly Line[]): Line | undefined => {
  const [, key, count] = /^(.*?)(?:\.(\d+))?$/.exec(end) ?? []
  const ofKey = lines.filter((line) => line.key === key)
  return ofKey[Number(count ?? 1) - 1] ?? ofKey[0]
}

/** Who has the room: a booking here, or nights that are blocked. */
export type Occupant =
  | { booking_id: string; check_in: string; check_out: string }
  | { block: { date_from: string; date_to: string; reason: string | null } }

export const occupantsOf = ({ conflicts }: Conflict) => conflicts as unknown as Occupant[]

export const nightsBetween = (arrival: string, departure: string): number =>
  Math.round((Date.parse(departure) - Date.parse(arrival)) / 86_400_000)
