import type { Scope } from '#db/scope.ts'
import type { PageRequest } from '#http/paging.ts'
import { refuseImpossibleSearch, type AvailabilityQuery } from './availability.ts'
import { candidatesOf } from './candidates.ts'
import { offersOf, type Offer } from './offers.ts'

export interface Found {
  readonly offers: readonly Offer[]
  readonly next: string | null
}

/** What one request does at most, in units that are priced and units that are passed by. */
const mostPriced = 500
const mostLooked = 20_000

/**
 * One page of the units that can be booked for a stay. When much is refused by terms or price, a page may end before
 * it is full; the search then goes on with its cursor. @throws Invalid
 */
export async function searchAvailability(
  scope: Scope,
  asked: AvailabilityQuery,
  { limit, sort, after, cursorAt }: PageRequest,
): Promise<Found> {
  refuseImpossibleSearch(asked)
  const nextBatch = candidatesOf(scope, asked, sort)
  const offers: Offer[] = []
  let place = after
  let priced = 0
  let looked = 0
  for (;;) {
    // One more than the page, because only an offer behind it proves that there is another page.
    const batch = await nextBatch(place, limit + 1)
    offers.push(...(await offersOf(scope, asked, batch.candidates)))
    if (offers.length > limit) {
      const shown = offers.slice(0, limit)
      const { sort_value, id } = shown.at(-1)!.candidate
      return { offers: shown, next: cursorAt(sort_value, id) }
    }
    if (batch.next === null) return { offers, next: null }
    place = batch.next
    priced += batch.candidates.length
    looked += batch.looked
    if (priced >= mostPriced || looked >= mostLooked) return { offers, next: cursorAt(place.value, place.id) }
  }
}
