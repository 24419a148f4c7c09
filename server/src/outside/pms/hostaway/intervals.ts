import { dateOf, nightOf } from '#nights.ts'
import type { Nights, NightTerms, Parcel } from '../pms.ts'
import { toMajorUnits } from './amounts.ts'

/** Nights of a listing as Hostaway is told of them, both ends included. What is left out stays as it is. */
export interface Interval extends Values {
  readonly startDate: string
  readonly endDate: string
}

interface Values {
  readonly isAvailable?: 0 | 1
  readonly desiredUnitsToSell?: number
  readonly price?: number
  readonly minimumStay?: number
  readonly maximumStay?: number
  readonly closedOnArrival?: 0 | 1
  readonly closedOnDeparture?: 0 | 1
}

/** The vendor's own word for no limit: null would leave the limit as it was. */
export const longestStayNights = 1125
const mostIntervals = 200

/**
 * The messages that say all that the parcel changes in the calendar, as few as they can be: a night is told once,
 * with its rooms and its terms, and equal neighbours are one interval. Where more than one message is needed, nights
 * that sell out go first, then those whose rooms or doors change, then mere prices and stays.
 */
export function calendarMessages(parcel: Parcel, isMultiUnit: boolean): Interval[][] {
  const intervals = joined(nightsOf(parcel, isMultiUnit)).sort((one, other) => rank(one) - rank(other))
  const messages: Interval[][] = []
  for (let at = 0; at < intervals.length; at += mostIntervals)
    messages.push(intervals.slice(at, at + mostIntervals))
  return messages
}

/** Whether something in the message takes nights off the market. */
export const mayClose = (message: readonly Interval[]): boolean => message.some((one) => rank(one) < 2)

/** What is left of the runs without these nights. */
export function without<Run extends Nights>(runs: readonly Run[], nights: ReadonlySet<number>): Run[] {
  if (nights.size === 0) return [...runs]
  return runs.flatMap((run) => {
    const kept: Run[] = []
    let from: number | null = null
    const last = nightOf(run.date_to)
    for (let night = nightOf(run.date_from); night <= last + 1; night++) {
      const isKept = night <= last && !nights.has(night)
      if (isKept) from ??= night
      else if (from !== null) {
        kept.push({ ...run, date_from: dateOf(from), date_to: dateOf(night - 1) })
        from = null
      }
    }
    return kept
  })
}

export function nightsIn({ startDate, endDate }: Interval): number[] {
  const first = nightOf(startDate)
  return Array.from({ length: nightOf(endDate) - first + 1 }, (_, index) => first + index)
}

function nightsOf({ rooms, rates, content }: Parcel, isMultiUnit: boolean): Map<number, Values> {
  const nights = new Map<number, Values>()
  const tell = ({ date_from, date_to }: Nights, values: Values) => {
    if (Object.keys(values).length === 0) return
    const last = nightOf(date_to)
    for (let night = nightOf(date_from); night <= last; night++)
      nights.set(night, { ...nights.get(night), ...values })
  }
  for (const run of rooms) tell(run, roomsToSell(run.available, isMultiUnit))
  for (const run of rates) tell(run, termsToShow(run, content.currency))
  return nights
}

/** A listing with one unit is open or not; one with several is told how many to sell. */
const roomsToSell = (available: number, isMultiUnit: boolean): Values =>
  isMultiUnit ? { desiredUnitsToSell: available } : { isAvailable: available > 0 ? 1 : 0 }

function termsToShow(terms: Partial<NightTerms>, currency: string): Values {
  const { price_cents, min_stay_arrival, max_stay, closed_to_arrival, closed_to_departure } = terms
  return {
    ...(price_cents !== undefined && { price: toMajorUnits(price_cents, currency) }),
    ...(min_stay_arrival !== undefined && { minimumStay: min_stay_arrival }),
    ...(max_stay !== undefined && { maximumStay: max_stay ?? longestStayNights }),
    ...(closed_to_arrival !== undefined && { closedOnArrival: closed_to_arrival ? 1 : 0 }),
    ...(closed_to_departure !== undefined && { closedOnDeparture: closed_to_departure ? 1 : 0 }),
  }
}

function joined(nights: ReadonlyMap<number, Values>): Interval[] {
  const intervals: Interval[] = []
  let first = NaN
  let last = NaN
  for (const night of [...nights.keys()].sort((one, other) => one - other)) {
    const values = nights.get(night)!
    if (night === last + 1 && areEqual(values, nights.get(first)!)) {
      intervals[intervals.length - 1] = { ...intervals.at(-1)!, endDate: dateOf(night) }
    } else {
      intervals.push({ startDate: dateOf(night), endDate: dateOf(night), ...values })
      first = night
    }
    last = night
  }
  return intervals
}

const areEqual = (one: Values, other: Values): boolean => {
  const names = Object.keys(one) as (keyof Values)[]
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}

function rank({ isAvailable, desiredUnitsToSell, closedOnArrival, closedOnDeparture }: Interval): number {
  if (isAvailable === 0 || desiredUnitsToSell === 0) return 0
  if (isAvailable !== undefined || desiredUnitsToSell !== undefined) return 1
  return closedOnArrival === 1 || closedOnDeparture === 1 ? 1 : 2
}
