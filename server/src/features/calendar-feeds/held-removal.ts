import { Type, type Static } from 'typebox'
import { Count, Day, Timestamp, nullable, oneOf } from '#fields.ts'
import type { CoveredNights } from './read-calendar.ts'

/** Many of the nights that a calendar blocked are not in it any more, and are kept for now. */
export const HeldRemoval = Type.Object(
  {
    nights: { ...Count(1, 100_000), description: 'Coming nights that would be sold again.' },
    date_from: { ...Day, description: 'The first of them.' },
    date_to: { ...Day, description: 'The last of them.' },
    since: { ...Timestamp, description: 'When the calendar was first read without them.' },
    fetches: {
      ...Count(1, 2_147_483_647),
      description:
        'How often in a row it was read like this. The third time, an hour or more after the first, counts.',
    },
    decision: nullable({ ...oneOf('keep'), description: 'What a person has decided; null before.' }),
  },
  {
    description:
      'More than half of the coming nights that the calendar blocked disappeared from it at once. They stay blocked until they are accepted as free; null when nothing is held.',
  },
)
export type HeldRemoval = Static<typeof HeldRemoval>

export const RemovalDecision = Type.Object(
  {
    decision: {
      ...oneOf('accept', 'keep'),
      description:
        'accept: the nights are free. keep: they stay blocked until the calendar says something else.',
    },
  },
  {
    title: 'RemovalDecision',
    description:
      'accept: the nights are free. keep: they stay blocked until the calendar says something else.',
    example: { decision: 'accept' },
    additionalProperties: false,
  },
)
export type RemovalDecision = Static<typeof RemovalDecision>

/** What a held removal is measured by. */
export interface HeldReading {
  /** The nights that were blocked before. */
  readonly kept: CoveredNights
  /** The nights that the calendar has now. */
  readonly found: CoveredNights
  /** The day after the last night that was looked at. */
  readonly until: string
}

export interface RemovalState {
  /** The local date of the space. */
  readonly today: string
  /** The day after the last night that is looked at. */
  readonly until: string
  readonly quantity: number
  readonly held: HeldRemoval | null
  readonly held_reading: HeldReading | null
  readonly is_held_an_hour: boolean
  readonly is_replaced: boolean
}

export interface RemovalVerdict {
  /** What is blocked now. */
  readonly nights: CoveredNights
  /** Null when the calendar counts as it is; `since` is null when it begins now. */
  readonly held: (Omit<HeldRemoval, 'since'> & { readonly since: string | null }) | null
  readonly reading: HeldReading | null
}

const fetchesToAccept = 3

/**
 * Decides whether nights that are no longer in a calendar become free. A server in trouble often answers with an empty or
 * a shortened calendar, and each night that it lacks would be sold twice. What is new in a calendar counts at once.
 */
export function judgeRemoval(state: RemovalState, had: CoveredNights, found: CoveredNights): RemovalVerdict {
  const { today, until, quantity, held, held_reading: before } = state
  const accepted = { nights: found, held: null, reading: null }
  if (state.is_replaced) return accepted
  const kept = (before?.kept ?? had).filter(([night]) => night >= today)
  const freed = freedNights(kept, found, quantity)
  if (roomsIn(freed, quantity) * 2 <= roomsIn(kept, quantity)) return accepted
  const isSame = held !== null && before !== null && isSameReading(before, found, today)
  const decision = isSame ? held.decision : null
  const fetches = isSame && !decision ? held.fetches + 1 : isSame ? held.fetches : 1
  if (isSame && !decision && fetches >= fetchesToAccept && state.is_held_an_hour) return accepted
  return {
    nights: maximumOf(had, found),
    held: {
      nights: freed.length,
      date_from: freed[0]![0],
      date_to: freed.at(-1)![0],
      since: isSame ? held.since : null,
      fetches,
      decision,
    },
    reading: { kept, found, until: isSame ? before.until : until },
  }
}

/** The nights of which fewer rooms are blocked than before, with the number of rooms. */
function freedNights(kept: CoveredNights, found: CoveredNights, quantity: number): CoveredNights {
  const now = new Map(found)
  return kept.flatMap(([night, rooms]): CoveredNights => {
    const freed = Math.min(rooms, quantity) - Math.min(now.get(night) ?? 0, quantity)
    return freed > 0 ? [[night, freed]] : []
  })
}

const roomsIn = (nights: CoveredNights, quantity: number) =>
  nights.reduce((sum, [, rooms]) => sum + Math.min(rooms, quantity), 0)

/** Time passes at both ends of what is looked at: only nights that both have seen are compared. */
function isSameReading({ found: before, until }: HeldReading, found: CoveredNights, today: string): boolean {
  const both = (nights: CoveredNights) =>
    JSON.stringify(nights.filter(([night]) => night >= today && night < until))
  return both(before) === both(found)
}

function maximumOf(one: CoveredNights, other: CoveredNights): CoveredNights {
  const rooms = new Map(one)
  for (const [night, count] of other) rooms.set(night, Math.max(count, rooms.get(night) ?? 0))
  return [...rooms].sort(([first], [second]) => (first < second ? -1 : 1))
}
