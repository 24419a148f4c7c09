import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import { Count, Country, Currency, Day, Id, Name, nullable, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable } from '#http/paging.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { assertNotTooFarAhead } from '#features/reservations/bookings/stay.ts'
import { Amount } from '#features/inventory/pricing/stay-price.ts'
import { unitTypes } from '#features/inventory/units/unit.ts'

const maxNights = 365
const Many = Count(1, 10_000)

/** A unit that can be booked for a stay, with the plan that sells it for the least. */
export const AvailableUnit = Type.Object(
  {
    unit_id: Id,
    space_id: Id,
    name: Name,
    space_name: Name,
    city: nullable(text(255)),
    country: nullable(Country),
    type: oneOf(...unitTypes),
    max_guests: { ...Many, description: 'In each room.' },
    available: { ...Many, description: 'Rooms that are free on every night.' },
    rate_plan_id: { ...Id, description: 'The cheapest of the plans that can be booked.' },
    nights: Count(1, maxNights),
    currency: Currency,
    total_cents: { ...Amount, description: 'The price of the stay, with fees and taxes.' },
    nightly_average_cents: { ...Amount, description: 'The same for one night and all rooms.' },
  },
  { title: 'AvailableUnit' },
)

const { updated_since: _, ...page } = PageQuery

export const AvailabilityQuery = {
  ...page,
  sort: sortable('created_at', 'name'),
  from: { ...Day, description: 'The first night, a local date of the unit.' },
  to: { ...Day, description: 'The day of the departure, whose night is not booked.' },
  guests: Type.Optional({ ...Many, description: 'The number of guests (1).' }),
  rooms: Type.Optional({ ...Many, description: 'Equal rooms of one unit (1).' }),
  min_price_cents: Type.Optional({ ...Amount, description: 'Of the whole stay; needs a currency.' }),
  max_price_cents: Type.Optional({ ...Amount, description: 'Of the whole stay; needs a currency.' }),
  currency: Type.Optional(Currency),
  place: Type.Optional(
    text(255, 'The beginning of the city, state, country or name of the space, in any case.', 1),
  ),
  account_id: anyOf(Id),
  space_id: anyOf(Id),
  unit_id: anyOf(Id),
  type: anyOf(oneOf(...unitTypes)),
}
export type AvailabilityQuery = Static<ReturnType<typeof Type.Object<typeof AvailabilityQuery>>>

/** @throws Invalid when the dates or prices of a search contradict each other */
export function assertValidSearch(query: AvailabilityQuery): void {
  const { from, to, currency, min_price_cents: minPrice, max_price_cents: maxPrice } = query
  const nights = nightOf(to) - nightOf(from)
  if (nights < 1) throw semanticError('to', 'to must be after from.')
  if (nights > maxNights) throw semanticError('to', `A stay has at most ${maxNights} nights.`)
  // In the westernmost time zone it is still the day before.
  if (nightOf(from) < Math.floor(Date.now() / 86_400_000) - 1)
    throw semanticError('from', 'from must not be in the past.')
  assertNotTooFarAhead('from', from, dateOf(Math.floor(Date.now() / 86_400_000) + 1))
  if (currency === undefined && (minPrice !== undefined || maxPrice !== undefined))
    throw semanticError('currency', 'A price filter needs a currency.')
  if (minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice)
    throw semanticError('max_price_cents', 'max_price_cents must not be less than min_price_cents.')
}
