import type { Scope } from '#db/scope.ts'
import type { AvailabilityQuery } from './availability.ts'
import {
  atPlace,
  freeThroughout,
  gather,
  inSpace,
  onlyUnit,
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

/** What is gathered at once, and what one step looks at: each some milliseconds. */
const mostGathered = 2_500
const firstStep = 200
const step = 2_000

/**
 * Candidates in the order that was asked for, a batch at a time. Where many units are free, walking along them finds a
 * page in a step. Where few are, all of them are gathered from what names the fewest: their nights, or their place.
 * So a page costs little whichever it is (decision 16).
 */
export function candidatesOf(scope: Scope, asked: AvailabilityQuery, sort: string) {
  let gathered: readonly Candidate[] | undefined
  let isWalking = false

  async function tryToGather(order: Order) {
    for (const source of sourcesOf(scope, asked)) {
      gathered = await gather(scope, asked, order, source, mostGathered)
      if (gathered) return
    }
    isWalking = true
  }

  const fromGathered = (all: readonly Candidate[], wanted: number): Batch => {
    const candidates = all.slice(0, wanted)
    gathered = all.slice(wanted)
    return { candidates, next: gathered.length > 0 ? placeOf(candidates.at(-1)!) : null, looked: 0 }
  }

  return async function nextBatch(after: Place, wanted: number): Promise<Batch> {
    const order = { sort, after }
    if (gathered) return fromGathered(gathered, wanted)
    if (asked.unit_id !== undefined || asked.space_id !== undefined) await tryToGather(order)
    if (gathered) return fromGathered(gathered, wanted)
    const size = isWalking ? step : firstStep
    const { fitting, looked, until } = await walk(scope, asked, order, size)
    const isEnd = looked < size
    if (!isWalking && !isEnd && fitting.length < wanted) {
      await tryToGather(order)
      if (gathered) return fromGathered(gathered, wanted)
    }
    const candidates = fitting.slice(0, wanted)
    if (candidates.length < fitting.length) return { candidates, next: placeOf(candidates.at(-1)!), looked }
    return { candidates, next: isEnd ? null : until, looked }
  }
}

function sourcesOf(scope: Scope, asked: AvailabilityQuery) {
  const { unit_id, space_id, place } = asked
  if (unit_id !== undefined) return [onlyUnit(unit_id)]
  if (space_id !== undefined) return [inSpace(scope, space_id)]
  return [freeThroughout(scope, asked), ...(place === undefined ? [] : [atPlace(scope, place)])]
}

const placeOf = ({ sort_value, id }: Candidate): Place => ({ value: sort_value, id })
