import type { PmsBookingLine } from '#outside/pms/pms-booking.ts'

/** A line of a reservation as the PMS described it last, beside the booking that stands for it here. */
export interface KnownLine {
  /** The external id of the booking: given once, and kept whatever becomes of the line. */
  readonly external_id: string
  readonly id?: string
  readonly listing: string | null
  readonly arrival: string | null
  readonly departure: string | null
  readonly guests: number | null
  /** The PMS has taken it out of the reservation. */
  readonly is_removed: boolean
}

type Facts = Pick<KnownLine, 'id' | 'listing' | 'arrival' | 'departure' | 'guests'>

type Sign = readonly (keyof Facts)[]

/** What two revisions of one line have in common, from the surest sign to the weakest; last, only their order. */
const signs: readonly Sign[] = [
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
/** A line that was taken out is only recognized when it comes back as it was. */
const signsOfReturn = signs.slice(0, 2)

/**
 * Finds for each line of a revision the known line that it continues; undefined for a line that is new. The PMS's own
 * id of the line comes first. A reservation that has as many lines as before has no new one.
 */
export function matchLines(
  known: readonly KnownLine[],
  lines: readonly PmsBookingLine[],
): (KnownLine | undefined)[] {
  const matches = new Array<KnownLine | undefined>(lines.length).fill(undefined)
  const match = (candidates: readonly KnownLine[], sign: Sign) => {
    const free = candidates.filter((one) => !matches.includes(one))
    const byKey = Map.groupBy(free, (one) => keyOf(one, sign))
    byKey.delete(null)
    for (const [at, line] of lines.entries()) matches[at] ??= byKey.get(keyOf(line, sign))?.shift()
  }
  const present = known.filter(({ is_removed }) => !is_removed)
  const removed = known.filter(({ is_removed }) => is_removed)
  const shared = new Set([...sharedIds(present), ...sharedIds(lines)])
  for (const candidates of [present, removed])
    match(
      candidates.filter(({ id }) => !shared.has(id)),
      ['id'],
    )
  for (const sign of signs) match(present, sign)
  for (const sign of signsOfReturn) match(removed, sign)
  return matches
}

/** Null when not all of it is known. */
function keyOf(facts: Facts, sign: Sign): string | null {
  const values = sign.map((name) => facts[name] ?? null)
  return values.includes(null) ? null : JSON.stringify(values)
}

/** An id that several lines have says nothing of any of them. */
function sharedIds(lines: readonly Facts[]): (string | undefined)[] {
  const ids = lines.map(({ id }) => id).filter((id) => id !== undefined)
  return ids.filter((id, at) => ids.indexOf(id) !== at)
}

const maxLength = 255

/** An external id that no booking has: the reservation, and behind `#` what the line is for. */
export function newExternalId(reservationId: string, key: string, taken: ReadonlySet<string>): string {
  const whole = key === '' ? reservationId : `${reservationId}#${key}`
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `.${count}`
    const name = whole.slice(0, maxLength - suffix.length) + suffix
    if (!taken.has(name)) return name
  }
}
