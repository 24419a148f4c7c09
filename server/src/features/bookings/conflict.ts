import type { Scope } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import {
  conflictingBlocks,
  conflictingBookings,
  freeUnits,
  type AlternativeArea,
  type Asked,
} from './conflict-queries.ts'
import type { FullNight, StayFacts } from './stay-queries.ts'

/** A stay that does not fit. Nothing was written, so what follows may be asked after the lock is given back. */
export class Full {
  readonly asked: Asked
  readonly nights: readonly FullNight[]

  constructor(facts: StayFacts, { rooms, guests, self }: Pick<Asked, 'rooms' | 'guests' | 'self'>) {
    const { unit_id: unitId, space_id: spaceId, arrival, departure, full } = facts
    this.asked = {
      unitId,
      spaceId,
      arrival,
      departure,
      rooms,
      guests,
      self,
      full: full.map(({ night }) => night),
    }
    this.nights = full
  }
}

/** Who has the rooms. */
export async function conflictsOf(scope: Scope, { asked }: Full): Promise<object[]> {
  const [bookings, blocks] = await Promise.all([
    conflictingBookings(scope, asked),
    conflictingBlocks(scope, asked),
  ])
  return [...bookings, ...blocks.map((block) => ({ block }))]
}

const mostAlternatives = 5

/** The refusal that says why, and where there is room instead. */
export async function bookingConflict(scope: Scope, full: Full, area: AlternativeArea): Promise<Conflict> {
  const [conflicts, near] = await Promise.all([
    conflictsOf(scope, full),
    freeUnits(scope, full.asked, 'space', mostAlternatives),
  ])
  const left = mostAlternatives - near.length
  const far = left > 0 ? await freeUnits(scope, full.asked, area, left) : []
  const [first, ...others] = full.nights
  const more = others.length > 0 ? ` and ${others.length} more of the nights` : ''
  const wanted = full.asked.rooms === 1 ? 'No room is' : `No ${full.asked.rooms} rooms are`
  return new Conflict('booking-conflict', `${wanted} free on ${first!.night}${more}.`, {
    members: { conflicts, alternatives: [...near, ...far].map(({ id }) => id), nights: full.nights },
  })
}

/** What came out, or the refusal. */
export async function orConflict<T>(
  scope: Scope,
  outcome: T | Full,
  area: AlternativeArea = 'city',
): Promise<T> {
  if (outcome instanceof Full) throw await bookingConflict(scope, outcome, area)
  return outcome
}
