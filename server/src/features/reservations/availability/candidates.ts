import type { Scope } from '#db/scope.ts'
import type { AvailabilityQuery } from './availability.ts'
import {
  unitsAtPlace,
  unitsFreeThroughout,
  collectUnits,
  unitsInSpaces,
  unitsOfTypes,
  unitsById,
  scanUnits,
  type Candidate,
  type Order,
  type PagePosition,
} from './queries.ts'

export interface Batch {
  readonly candidates: readonly Candidate[]
  /** Where the next batch begins; null when there is none. */
  readonly next: PagePosition
  /** How many units were read to find them. */
  readonly scannedCount: number
}

/** How many units a source may return before it counts as too broad, and how many of them are kept. */
const collectLimits = { maxUnits: 1_500, maxKept: 600 }
const decidingScanSize = 200
const scanSize = 500

/**
 * Reads candidates in the requested order, a batch at a time. Where many units are free, scanning the units in order
 * fills a page in a few steps, the first of twice as many units as are wanted. Where few are free, all of them are
 * collected from the most selective source: the type, the free nights or the place. Either way a page is cheap
 * (decision 16).
 */
export function openCandidateReader(scope: Scope, query: AvailabilityQuery, sort: string) {
  const isNarrow = query.unit_id !== undefined || query.space_id !== undefined
  let collected: readonly Candidate[] | undefined
  let isTruncated = false
  let hasCollected = false
  let hasScanned = false

  async function collectOnce(order: Order) {
    hasCollected = true
    for (const source of listSources(scope, query)) {
      collected = await collectUnits(scope, query, order, source, collectLimits)
      isTruncated = collected?.length === collectLimits.maxKept
      if (collected) return
    }
  }

  function takeCollected(all: readonly Candidate[], limit: number): Batch {
    const candidates = all.slice(0, limit)
    collected = all.slice(limit)
    if (collected.length > 0 || isTruncated)
      return { candidates, next: positionOf(candidates.at(-1)!), scannedCount: 0 }
    return { candidates, next: null, scannedCount: 0 }
  }

  return async function nextBatch(after: PagePosition, limit: number): Promise<Batch> {
    const order = { sort, after }
    if (isNarrow && !collected && !hasCollected) await collectOnce(order)
    // After a truncated collection is used up, the scan goes on.
    if (collected && !(isTruncated && collected.length === 0)) return takeCollected(collected, limit)
    const size = hasCollected ? scanSize : hasScanned ? decidingScanSize : 2 * limit
    hasScanned = true
    const { matching, scannedCount, nextPosition } = await scanUnits(scope, query, order, size)
    const isEnd = scannedCount < size
    // Fewer than 1 % match: collecting all of them is faster than scanning on.
    if (!isEnd && !hasCollected && size >= decidingScanSize && matching.length * 100 < scannedCount) {
      await collectOnce(order)
      if (collected) return takeCollected(collected, limit)
    }
    const candidates = matching.slice(0, limit)
    if (candidates.length < matching.length)
      return { candidates, next: positionOf(candidates.at(-1)!), scannedCount }
    return { candidates, next: isEnd ? null : nextPosition, scannedCount }
  }
}

function listSources(scope: Scope, query: AvailabilityQuery) {
  const { unit_id, space_id, type, place } = query
  if (unit_id !== undefined) return [unitsById(unit_id)]
  if (space_id !== undefined) return [unitsInSpaces(scope, space_id)]
  return [
    ...(type === undefined ? [] : [unitsOfTypes(scope, type)]),
    unitsFreeThroughout(scope, query),
    ...(place === undefined ? [] : [unitsAtPlace(scope, place)]),
  ]
}

const positionOf = ({ sort_value, id }: Candidate): PagePosition => ({ value: sort_value, id })
