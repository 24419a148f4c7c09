import type { Scope } from '#db/scope.ts'
import {
  loadStays,
  findForeignCharge,
  nightsBelowMinimum,
  calculatePrice,
  findObstacles,
  type Stay,
} from '#features/inventory/pricing/stay.ts'
import { maxCents } from '#features/inventory/pricing/stay-price.ts'
import { isTooFarAhead } from '#features/reservations/bookings/stay.ts'
import type { AvailabilityQuery } from './availability.ts'
import type { Candidate } from './queries.ts'

/** A candidate that can be booked, as JSON of the API. */
export interface Offer {
  readonly candidate: Candidate
  readonly json: string
}

/** The candidates that can be sold for the stay, each with its cheapest plan, in the order of the candidates. */
export async function findOffers(
  scope: Scope,
  query: AvailabilityQuery,
  candidates: readonly Candidate[],
): Promise<Offer[]> {
  if (candidates.length === 0) return []
  const { from: arrival, to: departure } = query
  const unitIds = candidates.map(({ id }) => id)
  const stays = await loadStays(scope, { unitIds, ratePlanId: 'every', arrival, departure })
  const byUnit = Map.groupBy(stays, ({ unit_id }) => unit_id)
  return candidates.flatMap((candidate) => {
    const [cheapest] = (byUnit.get(candidate.id) ?? [])
      .flatMap((stay) => priceIfSellable(stay, query))
      .sort((a, b) => a.total - b.total || Number(b.stay.plan!.is_default) - Number(a.stay.plan!.is_default))
    return cheapest && isInPriceRange(cheapest.total, query)
      ? [{ candidate, json: JSON.stringify(toRecord(candidate, cheapest)) }]
      : []
  })
}

interface PricedStay {
  readonly stay: Stay
  readonly total: number
}

function priceIfSellable(stay: Stay, { from, guests = 1, rooms = 1 }: AvailabilityQuery): PricedStay[] {
  const isOpen =
    stay.plan !== null &&
    from >= stay.today &&
    !isTooFarAhead(from, stay.today) &&
    stay.unit_status === 'active' &&
    stay.space_status === 'active' &&
    rooms <= stay.quantity &&
    guests <= stay.max_guests * rooms
  if (!isOpen || findObstacles(stay, rooms).length > 0 || findForeignCharge(stay)) return []
  const price = calculatePrice(stay, { guests, rooms })
  if (nightsBelowMinimum(stay, price).length > 0) return []
  const { total_cents, deposit_cents } = price
  return total_cents + deposit_cents > maxCents ? [] : [{ stay, total: total_cents }]
}

const isInPriceRange = (
  total: number,
  { min_price_cents = 0, max_price_cents = Infinity }: AvailabilityQuery,
) => total >= min_price_cents && total <= max_price_cents

const toRecord = ({ id, name, ...candidate }: Candidate, { stay, total }: PricedStay) => ({
  unit_id: id,
  space_id: candidate.space_id,
  name,
  space_name: candidate.space_name,
  city: candidate.city,
  country: candidate.country,
  type: candidate.type,
  max_guests: stay.max_guests,
  available: Math.min(...stay.nights.map(({ free }) => free)),
  rate_plan_id: stay.plan!.id,
  nights: stay.nights.length,
  currency: stay.currency,
  total_cents: total,
  nightly_average_cents: Math.round(total / stay.nights.length),
})
