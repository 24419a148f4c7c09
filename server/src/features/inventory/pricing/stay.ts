import { Conflict, Invalid } from '#errors.ts'
import { formatMoney, product } from '#schema/money.ts'
import { pluralize, priceStay, type StayCharge } from './price-stay.ts'
import type { StayPrice } from './stay-price.ts'

/** A night of the calendar, with the defaults of missing values. */
export interface StayNight {
  readonly date: string
  readonly price_cents: number
  readonly min_stay_arrival: number
  readonly min_stay_through: number
  readonly max_stay: number | null
  readonly closed_to_arrival: boolean
  readonly closed_to_departure: boolean
  readonly stop_sell: boolean
  /** The number of rooms that are neither booked nor blocked. */
  readonly free: number
}

/** Everything that decides whether a unit can be sold for some nights, and at which price. */
export interface Stay {
  readonly unit_id: string
  readonly account_id: string
  readonly currency: string
  readonly quantity: number
  readonly max_guests: number
  /** The minimum price of one room for a night; null without a minimum. */
  readonly min_price_cents: number | null
  readonly unit_status: string
  readonly space_status: string
  /** The current date in the time zone of the unit. */
  readonly today: string
  /** The requested plan, or the default plan; null when the unit has no plan of that id. */
  readonly plan: {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly is_default: boolean
  } | null
  /** Whether a sales stop applies to the unit at all targets. */
  readonly stopped: boolean
  readonly nights: readonly StayNight[]
  /** The day of the departure, whose night is not part of the stay. */
  readonly departure: StayNight
  readonly charges: readonly (StayCharge & { readonly currency: string })[]
}

/** @throws Conflict when a charge is not in the currency of the unit */
export function calculatePrice(stay: Stay, { guests, rooms }: { guests: number; rooms: number }): StayPrice {
  const { nights, charges, currency } = stay
  const foreign = findForeignCharge(stay)
  if (foreign)
    throw new Conflict(
      'unit-not-bookable',
      `The charge ${foreign.name} is ${formatMoney(foreign.amount_cents!, foreign.currency)}, but the unit sells in ${currency.toUpperCase()}: give it an amount in that currency.`,
    )
  return priceStay({ nights, charges, guests, rooms, currency })
}

/** The nights whose price is below the minimum of the unit after their proportional share of the discounts. */
export function nightsBelowMinimum(stay: Stay, price: StayPrice): readonly StayNight[] {
  const { min_price_cents: minimum, nights } = stay
  const { subtotal_cents: subtotal, discounts_cents: discounts } = price
  if (minimum === null) return []
  return nights.filter(
    ({ price_cents }) =>
      price_cents < minimum || product(price_cents, subtotal - discounts) < product(minimum, subtotal),
  )
}

/** @throws Invalid when a night is below the minimum price; the error points to `member` of the request body */
export function assertMinimumReached(stay: Stay, price: StayPrice, member: string): void {
  const below = nightsBelowMinimum(stay, price)
  const [first] = below
  if (!first) return
  const discounted = price.discounts_cents > 0 ? ' less discounts' : ''
  const message =
    `The night of ${first.date} costs ${formatMoney(first.price_cents, stay.currency)}${discounted}, below the minimum of ` +
    `${formatMoney(stay.min_price_cents!, stay.currency)}.`
  throw new Invalid('price-below-minimum', [{ pointer: `/${member}`, code: 'below_minimum', message }], {
    nights: below.map(({ date, price_cents }) => ({ night: date, price_cents })),
  })
}

/** A charge with an amount in another currency than that of the unit, if there is one. */
export const findForeignCharge = ({ charges, currency }: Pick<Stay, 'charges' | 'currency'>) =>
  charges.find((charge) => charge.amount_cents !== null && charge.currency !== currency)

type StayTerm =
  | 'no_room'
  | 'sales_stop'
  | 'stop_sell'
  | 'closed_to_arrival'
  | 'closed_to_departure'
  | 'min_stay_arrival'
  | 'min_stay_through'
  | 'max_stay'

/** A reason why a stay cannot be sold: the date, the restriction, and its limit. */
export interface Obstacle {
  readonly date: string
  readonly term: StayTerm
  readonly limit: number | null
  readonly message: string
}

/** All reasons why the rooms cannot be sold for this stay; empty when they can. */
export function findObstacles({ nights, departure, stopped }: Stay, rooms: number): Obstacle[] {
  const obstacles: Obstacle[] = []
  const add = (date: string, term: StayTerm, message: string, limit: number | null = null) =>
    obstacles.push({ date, term, limit, message })
  const arrival = nights[0]!
  const length = nights.length
  const { min_stay_arrival, max_stay } = arrival
  if (stopped) add(arrival.date, 'sales_stop', 'Sales of the unit are stopped.')
  if (arrival.closed_to_arrival)
    add(arrival.date, 'closed_to_arrival', `${arrival.date} is closed to arrivals.`)
  if (length < min_stay_arrival) {
    const message = `Minimum stay is ${pluralize(min_stay_arrival, 'night')} for arrivals on ${arrival.date}.`
    add(arrival.date, 'min_stay_arrival', message, min_stay_arrival)
  }
  if (max_stay !== null && length > max_stay) {
    const message = `Maximum stay is ${pluralize(max_stay, 'night')} for arrivals on ${arrival.date}.`
    add(arrival.date, 'max_stay', message, max_stay)
  }
  for (const { date, free, stop_sell, min_stay_through } of nights) {
    if (free < rooms) {
      const available = free === 0 ? 'No room is' : free === 1 ? 'Only 1 room is' : `Only ${free} rooms are`
      add(date, 'no_room', `${available} available on ${date}.`, free)
    }
    if (stop_sell) add(date, 'stop_sell', `The night of ${date} is not for sale.`)
    if (length < min_stay_through) {
      const message = `Minimum stay is ${pluralize(min_stay_through, 'night')} for stays over ${date}.`
      add(date, 'min_stay_through', message, min_stay_through)
    }
  }
  if (departure.closed_to_departure)
    add(departure.date, 'closed_to_departure', `${departure.date} is closed to departures.`)
  return obstacles
}
