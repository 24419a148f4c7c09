import type { contract } from '@vacancy/client'

import { dayOf } from './nights.ts'

/** Everything the calendar shows of one night of one unit; prices and stays are those of the default plan. */
export interface Night {
  priceCents: number | null
  minStay: number
  maxStay: number | null
  closedToArrival: boolean
  closedToDeparture: boolean
  stopSell: boolean
  available: number
  booked: number
  blocked: number
  reason: string | null
}

export interface PlanNights {
  id: string
  nights: Night[]
}

/** The nights of a unit from the first day of a tile on. */
export interface UnitNights {
  quantity: number
  nights: Night[]
  plans: PlanNights[]
}

const empty: Night = {
  priceCents: null,
  minStay: 1,
  maxStay: null,
  closedToArrival: false,
  closedToDeparture: false,
  stopSell: false,
  available: 0,
  booked: 0,
  blocked: 0,
  reason: null,
}

/** Unfolds the ranges of the API into one value for each night. */
export const unfoldUnit = (unit: contract.UnitCalendar, from: number, to: number): UnitNights => {
  const base = Array.from({ length: to - from + 1 }, () => ({ ...empty }))
  for (const { date_from, date_to, available, booked, blocked, reason } of unit.availability)
    for (let day = dayOf(date_from); day <= dayOf(date_to); day += 1)
      Object.assign(base[day - from] ?? {}, { available, booked, blocked, reason })
  const plans = unit.plans.map(({ rate_plan_id, days }) => {
    const nights = base.map((night) => ({ ...night }))
    for (const range of days)
      for (let day = dayOf(range.date_from); day <= dayOf(range.date_to); day += 1)
        Object.assign(nights[day - from] ?? {}, {
          priceCents: range.price_cents,
          minStay: Math.max(range.min_stay_arrival, range.min_stay_through),
          maxStay: range.max_stay,
          closedToArrival: range.closed_to_arrival,
          closedToDeparture: range.closed_to_departure,
          stopSell: range.stop_sell,
        })
    return { id: rate_plan_id, nights }
  })
  return { quantity: unit.quantity, nights: plans[0]?.nights ?? base, plans }
}
