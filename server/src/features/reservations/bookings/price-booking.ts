import type { Transaction } from '#db/scope.ts'
import { Invalid, semanticError } from '#errors.ts'
import { loadStay, assertMinimumReached, calculatePrice } from '#features/inventory/pricing/stay.ts'
import { formatMoney } from '#schema/money.ts'
import { maxCents } from '#features/inventory/pricing/stay-price.ts'
import type { Booking } from './booking.ts'
import type { StayFacts } from './stay-queries.ts'

type PricedStay = Pick<Booking, 'unitId' | 'ratePlanId' | 'arrival' | 'departure' | 'guests' | 'rooms'>

/** The total by the calendar and the charges. @throws Conflict, Invalid */
export async function computePrice(transaction: Transaction, booking: PricedStay): Promise<number> {
  const { unitId, ratePlanId, arrival, departure, guests, rooms } = booking
  const stay = (await loadStay(transaction, { unitId, ratePlanId, arrival, departure }))!
  const price = calculatePrice(stay, { guests, rooms })
  assertMinimumReached(stay, price, 'checkIn')
  if (price.total_cents > maxCents)
    throw semanticError('rooms', 'The price of this stay exceeds the largest possible amount.')
  return price.total_cents
}

/** A given total has no price per night, so the sum of the minimum prices is compared. @throws Invalid */
export function assertTotalReachesMinimum(
  { min_price_cents: minimum, nights, arrival, currency }: StayFacts,
  { rooms, totalCents }: Pick<Booking, 'rooms' | 'totalCents'>,
): void {
  const minTotal = (minimum ?? 0) * nights * rooms
  if (totalCents >= minTotal) return
  const count = `${nights} ${nights === 1 ? 'night' : 'nights'}${rooms === 1 ? '' : ` of ${rooms} rooms`}`
  const message =
    `The unit sells no night below ${formatMoney(minimum!, currency)}: ${count} from ${arrival} cost ` +
    `${formatMoney(minTotal, currency)} or more, not ${formatMoney(totalCents, currency)}.`
  throw new Invalid('price-below-minimum', [{ pointer: '/totalCents', code: 'below_minimum', message }])
}
