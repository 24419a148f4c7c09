import type { Scope } from '#db/scope.ts'
import type { PageRequest } from '#db/paging.ts'
import { assertValidSearch, type AvailabilityQuery } from './availability.ts'
import { openCandidateReader } from './candidates.ts'
import { findOffers, type Offer } from './offers.ts'

export interface AvailabilityPage {
  readonly offers: readonly Offer[]
  readonly next: string | null
}

/** The work of one request: units that are priced, and units that are read and skipped. */
const maxPriced = 500
const maxScanned = 20_000

/**
 * Returns one page of the units that can be booked for a stay. When terms or prices exclude many units, a page may end
 * before it is full; the search goes on behind its cursor. @throws Invalid
 */
export async function searchAvailability(
  scope: Scope,
  query: AvailabilityQuery,
  { limit, sort, after, cursorAt }: PageRequest,
): Promise<AvailabilityPage> {
  assertValidSearch(query)
  const nextBatch = openCandidateReader(scope, query, sort)
  const offers: Offer[] = []
  let place = after
  let priced = 0
  let scanned = 0
  for (;;) {
    // One more than the page: only another offer proves that there is a next page.
    const batch = await nextBatch(place, limit + 1)
    offers.push(...(await findOffers(scope, query, batch.candidates)))
    if (offers.length > limit) {
      const shown = offers.slice(0, limit)
      const { sort_value, id } = shown.at(-1)!.candidate
      return { offers: shown, next: cursorAt(sort_value, id) }
    }
    if (batch.next === null) return { offers, next: null }
    place = batch.next
    priced += batch.candidates.length
    scanned += batch.scannedCount
    if (priced >= maxPriced || scanned >= maxScanned) return { offers, next: cursorAt(place.value, place.id) }
  }
}
