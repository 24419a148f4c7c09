import { Conflict, Invalid } from '#errors.ts'
import { money, product } from './money.ts'
import { priceStay, type StayCharge } from './price-stay.ts'
import type { StayPrice } from './stay-price.ts'

/** A night of a stay as the calendar says, with the defaults filled in. */
export interface StayNight {
  readonly date: string
  readonly price_cents: number
  readonly min_stay_arrival: number
  readonly min_stay_through: number
  readonly max_stay: number | null
  readonly closed_to_arrival: boolean
  readonly closed_to_departure: boolean
  readonly stop_sell: boolean
  /** Rooms that nobody has taken. */
  readonly free: number
}

/** All that decides whether a unit can be sold for some nights, and at which price. */
export interface Stay {
  readonly unit_id: string
  readonly account_id: string
  readonly currency: string
  readonly quantity: number
  readonly max_guests: number
  /** The least that a night of one room is sold for; null when there is no minimum. */
  readonly min_price_cents: number | null
  readonly unit_status: string
  readonly space_status: string
  /** The night that begins today, where the unit is. */
  readonly today: string
  /** The plan that was named, or the default; null when the unit has none of that id. */
  readonly plan: {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly is_default: boolean
  } | null
  /** Whether a sales stop holds for the whole unit. */
  readonly stopped: boolean
  readonly nights: readonly StayNight[]
  /** The day on which the stay ends, whose night it does not take. */
  readonly departure: StayNight
  readonly charges: readonly (StayCharge & { readonly currency: string })[]
}

/** @throws Conflict when a charge is in another currency than the unit sells in. */
export function priceOf(stay: Stay, { guests, rooms }: { guests: number; rooms: number }): StayPrice {
  const { nights, charges, currency } = stay
  const foreign = foreignCharge(stay)
  if (foreign)
    throw new Conflict(
      'unit-not-bookable',
      `The charge ${foreign.name} is ${money(foreign.amount_cents!, foreign.currency)}, but the unit sells in ${currency.toUpperCase()}: give it an amount in that currency.`,
    )
  return priceStay({ nights, charges, guests, rooms, currency })
}

/** The nights below the minimum of the unit, once the discounts are shared among them in proportion to their prices. */
export function nightsBelowMinimum(stay: Stay, price: StayPrice): readonly StayNight[] {
  const { min_price_cents: minimum, nights } = stay
  const { subtotal_cents: subtotal, discounts_cents: discounts } = price
  if (minimum === null) return []
  return nights.filter(
    ({ price_cents }) =>
      price_cents < minimum || product(price_cents, subtotal - discounts) < product(minimum, subtotal),
  )
}

/** @throws Invalid naming the first night that is below the minimum; `member` is where the body names the stay. */
export function assertReachesMinimum(stay: Stay, price: StayPrice, member: string): void {
  const below = nightsBelowMinimum(stay, price)
  const [first] = below
  if (!first) return
  const discounted = price.discounts_cents > 0 ? ' less discounts' : ''
  const message =
    `The night of ${first.date} costs ${money(first.price_cents, stay.currency)}${discounted}, below the minimum of ` +
    `${money(stay.min_price_cents!, stay.currency)}.`
  throw new Invalid('price-below-minimum', [{ pointer: `/${member}`, code: 'below_minimum', message }], {
    nights: below.map(({ date, price_cents }) => ({ night: date, price_cents })),
  })
}

/** The charge, if any, that cannot be added to the price of the unit. */
export const foreignCharge = ({ charges, currency }: Pick<Stay, 'charges' | 'currency'>) =>
  charges.find((charge) => charge.amount_cents !== null && charge.currency !== currency)

export const stayTerms = [
  'no_room',
  'sales_stop',
  'stop_sell',
  'closed_to_arrival',
  'closed_to_departure',
  'min_stay_arrival',
  'min_stay_through',
  'max_stay',
] as const

/** Why a stay cannot be sold: the day, what stands against it there, and the number that was not kept. */
export interface Reason {
  readonly date: string
  readonly term: (typeof stayTerms)[number]
  readonly limit: number | null
  readonly message: string
}

/** Everything that stands against selling so many rooms for this stay; nothing when it can be sold. */
export function reasonsAgainst({ nights, departure, stopped }: Stay, rooms: number): Reason[] {
  const reasons: Reason[] = []
  const against = (date: string, term: Reason['term'], message: string, limit: number | null = null) =>
    reasons.push({ date, term, limit, message })
  const arrival = nights[0]!
  const length = nights.length
  if (stopped) against(arrival.date, 'sales_stop', 'Sales of the unit are stopped.')
  if (arrival.closed_to_arrival)
    against(arrival.date, 'closed_to_arrival', `Nobody arrives on ${arrival.date}.`)
  if (length < arrival.min_stay_arrival)
    against(
      arrival.date,
      'min_stay_arrival',
      `Who arrives on ${arrival.date} stays ${arrival.min_stay_arrival} nights or more.`,
      arrival.min_stay_arrival,
    )
  if (arrival.max_stay !== null && length > arrival.max_stay)
    against(
      arrival.date,
      'max_stay',
      `Who arrives on ${arrival.date} stays ${arrival.max_stay} nights at most.`,
      arrival.max_stay,
    )
  for (const { date, free, stop_sell, min_stay_through } of nights) {
    if (free < rooms)
      against(
        date,
        'no_room',
        `On ${date} ${free === 0 ? 'no room is' : `only ${free} rooms are`} free.`,
        free,
      )
    if (stop_sell) against(date, 'stop_sell', `The night of ${date} is not sold.`)
    if (length < min_stay_through)
      against(
        date,
        'min_stay_through',
        `A stay over ${date} has ${min_stay_through} nights or more.`,
        min_stay_through,
      )
  }
  if (departure.closed_to_departure)
    against(departure.date, 'closed_to_departure', `Nobody departs on ${departure.date}.`)
  return reasons
}
