import type { Transaction } from '#db/scope.ts'
import { Invalid, semanticError } from '#errors.ts'
import { findStay } from '../pricing/queries.ts'
import { money } from '../pricing/money.ts'
import { mostCents } from '../pricing/stay-price.ts'
import { assertReachesMinimum, priceOf } from '../pricing/stay.ts'
import type { Booking } from './booking.ts'
import type { StayFacts } from './stay-queries.ts'

type Priced = Pick<Booking, 'unitId' | 'ratePlanId' | 'arrival' | 'departure' | 'guests' | 'rooms'>

/** What the calendar and the charges come to. @throws Conflict, Invalid */
export async function computePrice(transaction: Transaction, booking: Priced): Promise<number> {
  const { unitId, ratePlanId, arrival, departure, guests, rooms } = booking
  const stay = (await findStay(transaction, { unitId, ratePlanId, arrival, departure }))!
  const price = priceOf(stay, { guests, rooms })
  assertReachesMinimum(stay, price, 'checkIn')
  if (price.total_cents > mostCents)
    throw semanticError('rooms', 'The price of this stay is more than can be counted.')
  return price.total_cents
}

/** A total that somebody names is not split into nights, so all of them together must reach the minimum. @throws Invalid */
export function assertTotalReachesMinimum(
  { min_price_cents: minimum, nights, arrival, currency }: StayFacts,
  { rooms, totalCents }: Pick<Booking, 'rooms' | 'totalCents'>,
): void {
  const least = (minimum ?? 0) * nights * rooms
  if (totalCents >= least) return
  const count = `${nights} ${nights === 1 ? 'night' : 'nights'}${rooms === 1 ? '' : ` of ${rooms} rooms`}`
  const message =
    `The unit sells no night below ${money(minimum!, currency)}: ${count} from ${arrival} cost ` +
    `${money(least, currency)} or more, not ${money(totalCents, currency)}.`
  throw new Invalid('price-below-minimum', [{ pointer: '/totalCents', code: 'below_minimum', message }])
}
