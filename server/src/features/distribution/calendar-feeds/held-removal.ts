import { Type, type Static } from 'typebox'
import { Count, Day, Timestamp, nullable, oneOf } from '#schema/fields.ts'
import type { CoveredNights } from './read-calendar.ts'

/** Many blocked nights disappeared from a calendar at once, and stay blocked for now. */
export const HeldRemoval = Type.Object(
  {
    nights: { ...Count(1, 100_000), description: 'Coming nights that would become free.' },
    date_from: { ...Day, description: 'The first of these nights.' },
    date_to: { ...Day, description: 'The last of these nights.' },
    since: { ...Timestamp, description: 'When the nights were first missing.' },
    fetches: {
      ...Count(1, 2_147_483_647),
      description:
        'The number of equal fetches in a row. The removal is accepted with the third, at least an hour after the first.',
    },
    decision: nullable({ ...oneOf('keep'), description: 'The decision of a person; null before it.' }),
  },
  {
    description:
      'More than half of the coming blocked nights disappeared from the calendar at once. They stay blocked until the removal is accepted; null when nothing is held.',
  },
)
export type HeldRemoval = Static<typeof HeldRemoval>

export const RemovalDecision = Type.Object(
  {
    decision: {
      ...oneOf('accept', 'keep'),
      description: 'accept: the nights become free. keep: they stay blocked until the calendar changes.',
    },
    since: Type.Optional({
      ...Timestamp,
      description: 'The `since` of the nights that were seen: 412 when others are held by now.',
    }),
  },
  {
    title: 'RemovalDecision',
    description: 'accept: the nights become free. keep: they stay blocked until the calendar changes.',
    example: { decision: 'accept' },
    additionalProperties: false,
  },
)
export type RemovalDecision = Static<typeof RemovalDecision>

/** The readings that a held removal compares. It is stored. */
export interface HeldReading {
  /** The nights that were blocked before. */
  readonly kept: CoveredNights
  /** The nights that the calendar has now. */
  readonly found: CoveredNights
  /** The day after the last night that was read. */
  readonly until: string
}

export interface RemovalState {
  /** The local date of the space. */
  readonly today: string
  /** The day after the last night that is read. */
  readonly until: string
  readonly quantity: number
  readonly held: HeldRemoval | null
  readonly held_reading: HeldReading | null
  readonly is_held_an_hour: boolean
  readonly is_replaced: boolean
}

export interface RemovalResult {
  /** The nights to block. */
  readonly nights: CoveredNights
  /** Null when the calendar is accepted as it is; `since` is null when the hold begins now. */
  readonly held: (Omit<HeldRemoval, 'since'> & { readonly since: string | null }) | null
  readonly reading: HeldReading | null
}

const fetchesToAccept = 3

/**
 * Decides whether nights that disappeared from a calendar become free. A failing server often returns an empty or
 * truncated calendar, and each missing night would be sold twice. New nights of a calendar are blocked at once.
 */
export function evaluateRemoval(
  state: RemovalState,
  blocked: CoveredNights,
  found: CoveredNights,
): RemovalResult {
  const { today, until, quantity, held, held_reading: before } = state
  const accepted = { nights: found, held: null, reading: null }
  if (state.is_replaced) return accepted
  const missing = new Set(freedNights(blocked, found, quantity).map(([night]) => night))
  // New nights of a calendar do not make a held removal smaller, unless they disappear, too.
  const kept = before
    ? maximumOf(
        before.kept.filter(([night]) => night >= today),
        blocked.filter(([night]) => missing.has(night)),
      )
    : blocked
  const freed = freedNights(kept, found, quantity)
  const isUnchanged = held !== null && before !== null && isSameReading(before, found, today)
  // What is held stays held as its nights pass: the rest of them may be less than half.
  const isHeld = isUnchanged ? freed.length > 0 : roomsIn(freed, quantity) * 2 > roomsIn(kept, quantity)
  if (!isHeld) return accepted
  const decision = isUnchanged ? held.decision : null
  const fetches = isUnchanged && !decision ? held.fetches + 1 : isUnchanged ? held.fetches : 1
  if (isUnchanged && !decision && fetches >= fetchesToAccept && state.is_held_an_hour) return accepted
  return {
    nights: maximumOf(blocked, found),
    held: {
      nights: freed.length,
      date_from: freed[0]![0],
      date_to: freed.at(-1)![0],
      since: isUnchanged ? held.since : null,
      fetches,
      decision,
    },
    reading: { kept, found, until: isUnchanged ? before.until : until },
  }
}

/** The nights with fewer blocked rooms than before, with the number of rooms that would become free. */
function freedNights(kept: CoveredNights, found: CoveredNights, quantity: number): CoveredNights {
  const now = new Map(found)
  return kept.flatMap(([night, rooms]): CoveredNights => {
    const freed = Math.min(rooms, quantity) - Math.min(now.get(night) ?? 0, quantity)
    return freed > 0 ? [[night, freed]] : []
  })
}

const roomsIn = (nights: CoveredNights, quantity: number) =>
  nights.reduce((sum, [, rooms]) => sum + Math.min(rooms, quantity), 0)

/** Compares only the nights that are in both windows, because the window moves each day. */
function isSameReading({ found: before, until }: HeldReading, found: CoveredNights, today: string): boolean {
  const common = (nights: CoveredNights) =>
    JSON.stringify(nights.filter(([night]) => night >= today && night < until))
  return common(before) === common(found)
}

function maximumOf(one: CoveredNights, other: CoveredNights): CoveredNights {
  const rooms = new Map(one)
  for (const [night, count] of other) rooms.set(night, Math.max(count, rooms.get(night) ?? 0))
  return [...rooms].sort(([first], [second]) => (first < second ? -1 : 1))
}
