import type { Scope } from '#db/scope.ts'
import { findStays } from '../pricing/queries.ts'
import { mostCents } from '../pricing/stay-price.ts'
import { foreignCharge, nightsBelowMinimum, priceOf, reasonsAgainst, type Stay } from '../pricing/stay.ts'
import type { AvailabilityQuery } from './availability.ts'
import type { Candidate } from './queries.ts'

/** A candidate that can be booked, as the API answers it; the order of the candidates is kept. */
export interface Offer {
  readonly candidate: Candidate
  readonly json: string
}

/** Those of the candidates that may be sold for the stay, by the plan that costs the least. */
export async function offersOf(
  scope: Scope,
  asked: AvailabilityQuery,
  candidates: readonly Candidate[],
): Promise<Offer[]> {
  if (candidates.length === 0) return []
  const { from: arrival, to: departure } = asked
  const unitIds = candidates.map(({ id }) => id)
  const stays = await findStays(scope, { unitIds, ratePlanId: 'every', arrival, departure })
  const byUnit = Map.groupBy(stays, ({ unit_id }) => unit_id)
  return candidates.flatMap((candidate) => {
    const [best] = (byUnit.get(candidate.id) ?? [])
      .flatMap((stay) => sold(stay, asked))
      .sort((a, b) => a.total - b.total || Number(b.stay.plan!.is_default) - Number(a.stay.plan!.is_default))
    return best && isWithin(best.total, asked)
      ? [{ candidate, json: JSON.stringify(spelled(candidate, best)) }]
      : []
  })
}

interface Sold {
  readonly stay: Stay
  readonly total: number
}

function sold(stay: Stay, { from, guests = 1, rooms = 1 }: AvailabilityQuery): Sold[] {
  const isOpen =
    stay.plan !== null &&
    from >= stay.today &&
    stay.unit_status === 'active' &&
    stay.space_status === 'active' &&
    rooms <= stay.quantity &&
    guests <= stay.max_guests * rooms
  if (!isOpen || reasonsAgainst(stay, rooms).length > 0 || foreignCharge(stay)) return []
  const price = priceOf(stay, { guests, rooms })
  if (nightsBelowMinimum(stay, price).length > 0) return []
  const { total_cents, deposit_cents } = price
  return total_cents + deposit_cents > mostCents ? [] : [{ stay, total: total_cents }]
}

const isWithin = (total: number, { min_price_cents = 0, max_price_cents = Infinity }: AvailabilityQuery) =>
  total >= min_price_cents && total <= max_price_cents

const spelled = ({ id, name, ...candidate }: Candidate, { stay, total }: Sold) => ({
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
