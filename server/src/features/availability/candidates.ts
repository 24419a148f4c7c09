import type { Scope } from '#db/scope.ts'
import type { AvailabilityQuery } from './availability.ts'
import {
  atPlace,
  freeThroughout,
  gather,
  inSpaces,
  onlyUnits,
  walk,
  type Candidate,
  type Order,
  type Place,
} from './queries.ts'

export interface Batch {
  readonly candidates: readonly Candidate[]
  /** Where the next batch begins; null when there is none. */
  readonly next: Place
  /** How many units were looked at. */
  readonly looked: number
}

/** How many units a source may name, and how many of them are taken over. */
const gathering = { most: 1_500, shown: 600 }
const firstStep = 200
const step = 500

/**
 * Candidates in the order that was asked for, a batch at a time. Where many units are free, walking along them finds a
 * page in a few steps. Where few are, they are gathered from what names the fewest: their nights, or their place. So a
 * page costs little whichever it is (decision 16).
 */
export function candidatesOf(scope: Scope, asked: AvailabilityQuery, sort: string) {
  const isNarrow = asked.unit_id !== undefined || asked.space_id !== undefined
  let gathered: readonly Candidate[] | undefined
  let isCut = false
  let hasTried = false

  async function gatherFirst(order: Order) {
    hasTried = true
    for (const source of sourcesOf(scope, asked)) {
      gathered = await gather(scope, asked, order, source, gathering)
      isCut = gathered?.length === gathering.shown
      if (gathered) return
    }
  }

  function fromGathered(all: readonly Candidate[], wanted: number): Batch {
    const candidates = all.slice(0, wanted)
    gathered = all.slice(wanted)
    if (gathered.length > 0 || isCut) return { candidates, next: placeOf(candidates.at(-1)!), looked: 0 }
    return { candidates, next: null, looked: 0 }
  }

  return async function nextBatch(after: Place, wanted: number): Promise<Batch> {
    const order = { sort, after }
    if (isNarrow && !gathered && !hasTried) await gatherFirst(order)
    // When what was gathered and cut is used up, one walks on.
    if (gathered && !(isCut && gathered.length === 0)) return fromGathered(gathered, wanted)
    const size = hasTried ? step : firstStep
    const { fitting, looked, until } = await walk(scope, asked, order, size)
    const isEnd = looked < size
    // Less than one of a hundred: the way is longer than to all of them at once.
    if (!isEnd && !hasTried && fitting.length * 100 < looked) {
      await gatherFirst(order)
      if (gathered) return fromGathered(gathered, wanted)
    }
    const candidates = fitting.slice(0, wanted)
    if (candidates.length < fitting.length) return { candidates, next: placeOf(candidates.at(-1)!), looked }
    return { candidates, next: isEnd ? null : until, looked }
  }
}

function sourcesOf(scope: Scope, asked: AvailabilityQuery) {
  const { unit_id, space_id, place } = asked
  if (unit_id !== undefined) return [onlyUnits(unit_id)]
  if (space_id !== undefined) return [inSpaces(scope, space_id)]
  return [freeThroughout(scope, asked), ...(place === undefined ? [] : [atPlace(scope, place)])]
}

const placeOf = ({ sort_value, id }: Candidate): Place => ({ value: sort_value, id })
