import { Conflict, Invalid } from '#errors.ts'
import { formatMoney, product } from '#schema/money.ts'
import { pluralize, priceStay, type StayCharge } from './price-stay.ts'
import type { StayPrice } from './stay-price.ts'
import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { nightOf } from '#schema/nights.ts'

/** A night of the calendar, with the defaults of missing values. */
interface StayNight {
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
interface Obstacle {
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

interface StayRequest {
  readonly unitId: string
  /** A plan, every active plan, or the default plan when null. */
  readonly ratePlanId: 'every' | (string & {}) | null
  /** Dates in the time zone of the unit. The night of the departure is not part of the stay. */
  readonly arrival: string
  readonly departure: string
}

/**
 * Loads all that decides availability and price of a stay in one round trip; undefined when the unit does not exist. Free
 * rooms are those of this moment: only a booking reserves them.
 */
export async function loadStay(scope: Scope, { unitId, ...request }: StayRequest): Promise<Stay | undefined> {
  const [stay] = await loadStays(scope, { ...request, unitIds: [unitId] })
  return stay
}

/**
 * Loads the same for several units: one stay for each unit, or for each of its active plans. The space is joined laterally
 * by its key, because the planner does not know how few units are given and might otherwise scan all spaces.
 */
export async function loadStays(
  scope: Scope,
  request: Omit<StayRequest, 'unitId'> & { readonly unitIds: readonly string[] },
): Promise<Stay[]> {
  const { unitIds, ratePlanId, arrival, departure } = request
  const nightCount = nightOf(departure) - nightOf(arrival)
  const from = sql`${arrival}::date`
  const to = sql`${from} + ${nightCount}::int`
  const isRequestedPlan =
    ratePlanId === null
      ? sql`plan.is_default`
      : ratePlanId === 'every'
        ? sql`plan.status = 'active'`
        : sql`plan.id = ${ratePlanId}`
  const found = await rows(
    scope,
    sql<Omit<Stay, 'departure'>>`
      select unit.id as unit_id, unit.account_id, unit.currency, unit.quantity, unit.max_guests,
        unit.min_price_cents::float8, unit.status as unit_status, space.status as space_status,
        (now() at time zone space.timezone)::date as today,
        case when plan.id is not null
          then json_build_object('id', plan.id, 'status', plan.status,
            'is_default', plan.is_default) end as plan,
        exists (
          select 1
          from sales_stops stop
          where stop.org_id = unit.org_id
            and stop.lifted_at is null
            and stop.channel_target_id is null
            and coalesce(stop.space_id, unit.space_id) = unit.space_id
            and coalesce(stop.unit_id, unit.id) = unit.id) as stopped,
        (
          select json_agg(listed order by listed.date)
          from (
            select ${from} + day.index as date, coalesce(night.price_cents, unit.base_price_cents) as price_cents,
              coalesce(night.min_stay_arrival, 1) as min_stay_arrival,
              coalesce(night.min_stay_through, 1) as min_stay_through, night.max_stay,
              coalesce(night.closed_to_arrival, false) as closed_to_arrival,
              coalesce(night.closed_to_departure, false) as closed_to_departure,
              coalesce(night.stop_sell, false) as stop_sell,
              greatest(0, unit.quantity - coalesce(taken.booked + taken.blocked, 0)) as free
            from generate_series(0, ${nightCount}::int) day(index)
            left join calendar_nights night
              on night.org_id = unit.org_id
              and night.unit_id = unit.id
              and night.rate_plan_id = plan.id
              and night.night = ${from} + day.index
              and night.night between ${from} and ${to}
            left join nights_taken(${scope.orgId}, array[unit.id], ${from}, ${to}) taken
              on taken.night = ${from} + day.index) listed) as nights,
        (
          select coalesce(json_agg(listed), '[]')
          from (
            select charge.id, charge.name, charge.kind, charge.basis, charge.amount_cents, charge.currency,
              charge.percent, charge.applies_to, charge.included, charge.min_nights, charge.max_nights,
              charge.charged_nights, charge.guests_included
            from charges charge
            where charge.org_id = unit.org_id
              and charge.status = 'active'
              and (charge.space_id = unit.space_id or charge.unit_id = unit.id)
            order by charge.created_at, charge.id) listed) as charges
      from units unit
      cross join lateral (
        select spaces.id, spaces.status, spaces.timezone
        from spaces
        where spaces.org_id = unit.org_id and spaces.id = unit.space_id
        offset 0) space
      left join rate_plans plan
        on plan.org_id = unit.org_id
        and plan.unit_id = unit.id
        and ${isRequestedPlan}
      where unit.org_id = ${scope.orgId}
        and unit.id = any(${unitIds}::uuid[])
        and unit.deleted_at is null`,
  )
  return found.map((stay) => ({
    ...stay,
    nights: stay.nights.slice(0, -1),
    departure: stay.nights.at(-1) as StayNight,
  }))
}
