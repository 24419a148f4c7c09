import type { PmsBookingLine } from '#integrations/pms/pms-booking.ts'

/** A line of a reservation in its last revision, with the booking that represents it here. */
export interface KnownLine {
  /** The external id of the booking. It never changes. */
  readonly external_id: string
  readonly id?: string
  readonly listing: string | null
  readonly arrival: string | null
  readonly departure: string | null
  readonly guests: number | null
  /** The PMS removed the line from the reservation. */
  readonly is_removed: boolean
  /** What the PMS sent when its booking was written last; a line that did not fit keeps the earlier one. */
  readonly applied?: AppliedStay
}

/** The room, the unit that it was linked to, the dates, and the number of rooms. */
export interface AppliedStay {
  /** Missing in what earlier releases have stored. */
  readonly listing?: string | null
  readonly unit_id: string | null
  readonly arrival: string
  readonly departure: string
  readonly rooms: number
}

type LineFacts = Pick<KnownLine, 'id' | 'listing' | 'arrival' | 'departure' | 'guests'>

type MatchKey = readonly (keyof LineFacts)[]

/** The fields that identify a line across revisions, from the strongest match to the weakest; the last is only the order. */
const matchKeys: readonly MatchKey[] = [
  ['listing', 'arrival', 'departure', 'guests'],
  ['listing', 'arrival', 'departure'],
  ['listing', 'arrival'],
  ['listing', 'departure'],
  ['arrival', 'departure', 'guests'],
  ['arrival', 'departure'],
  ['listing', 'guests'],
  ['listing'],
  ['arrival'],
  ['departure'],
  ['guests'],
  [],
]
/** A removed line is matched only when it comes back unchanged. */
const exactMatchKeys = matchKeys.slice(0, 2)

/**
 * Finds the known line that each line of a revision continues; undefined for a new line. The id that the PMS gives a line
 * is matched first. A reservation with as many lines as before has no new one.
 */
export function matchLines(
  known: readonly KnownLine[],
  lines: readonly PmsBookingLine[],
): (KnownLine | undefined)[] {
  const matches = new Array<KnownLine | undefined>(lines.length).fill(undefined)
  const match = (candidates: readonly KnownLine[], key: MatchKey) => {
    const free = candidates.filter((one) => !matches.includes(one))
    const byValues = Map.groupBy(free, (one) => valuesOf(one, key))
    byValues.delete(null)
    for (const [at, line] of lines.entries()) matches[at] ??= byValues.get(valuesOf(line, key))?.shift()
  }
  const present = known.filter(({ is_removed }) => !is_removed)
  const removed = known.filter(({ is_removed }) => is_removed)
  const duplicateIds = new Set([...listDuplicateIds(present), ...listDuplicateIds(lines)])
  for (const candidates of [present, removed])
    match(
      candidates.filter(({ id }) => !duplicateIds.has(id)),
      ['id'],
    )
  for (const key of matchKeys) match(present, key)
  for (const key of exactMatchKeys) match(removed, key)
  return matches
}

/** Null when one of the fields is unknown. */
function valuesOf(facts: LineFacts, key: MatchKey): string | null {
  const values = key.map((name) => facts[name] ?? null)
  return values.includes(null) ? null : JSON.stringify(values)
}

/** An id that several lines share identifies none of them. */
function listDuplicateIds(lines: readonly LineFacts[]): (string | undefined)[] {
  const ids = lines.map(({ id }) => id).filter((id) => id !== undefined)
  return ids.filter((id, at) => ids.indexOf(id) !== at)
}

const maxLength = 255

/** An unused external id: the id of the reservation, and after `#` the key of the line. */
export function newExternalId(reservationId: string, key: string, taken: ReadonlySet<string>): string {
  const fullId = key === '' ? reservationId : `${reservationId}#${key}`
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `.${count}`
    const externalId = fullId.slice(0, maxLength - suffix.length) + suffix
    if (!taken.has(externalId)) return externalId
  }
}
