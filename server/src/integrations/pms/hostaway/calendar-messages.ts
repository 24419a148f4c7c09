import { dateOf, nightOf } from '#schema/nights.ts'
import { toMajorUnits } from '../pms-amounts.ts'
import type { NightRange, NightTerms, UnitUpdate } from '../pms.ts'

/** Nights of a listing with their new values, both ends included. Values that are left out stay as they are. */
export interface CalendarInterval extends NightValues {
  readonly startDate: string
  readonly endDate: string
}

interface NightValues {
  readonly isAvailable?: 0 | 1
  readonly desiredUnitsToSell?: number
  readonly price?: number
  readonly minimumStay?: number
  readonly maximumStay?: number
  readonly closedOnArrival?: 0 | 1
  readonly closedOnDeparture?: 0 | 1
}

/** Hostaway's value for no limit; null would keep the old limit. */
export const unlimitedStayNights = 1125
const maxIntervalsPerMessage = 200

/**
 * The calendar changes of one update in as few messages as possible: each night is sent once, with its availability and
 * its terms, and consecutive nights with equal values are one interval. In several messages, nights that sell out come
 * first, then other changes of availability and closed nights, then prices and stays.
 */
export function buildMessages(update: UnitUpdate, isMultiUnit: boolean): CalendarInterval[][] {
  const intervals = mergeNights(nightValues(update, isMultiUnit)).sort((a, b) => rank(a) - rank(b))
  const messages: CalendarInterval[][] = []
  for (let start = 0; start < intervals.length; start += maxIntervalsPerMessage)
    messages.push(intervals.slice(start, start + maxIntervalsPerMessage))
  return messages
}

/** The same messages without prices and restrictions. */
export const availabilityOnly = (messages: readonly CalendarInterval[][]): CalendarInterval[][] =>
  messages
    .map((message) =>
      message.flatMap(({ startDate, endDate, isAvailable, desiredUnitsToSell }) => {
        if (isAvailable !== undefined) return { startDate, endDate, isAvailable }
        return desiredUnitsToSell === undefined ? [] : { startDate, endDate, desiredUnitsToSell }
      }),
    )
    .filter((message) => message.length > 0)

/** Whether the message may close nights. */
export const mayClose = (message: readonly CalendarInterval[]): boolean =>
  message.some((interval) => rank(interval) < 2)

/** The ranges without these nights. */
export function excludeNights<Range extends NightRange>(
  ranges: readonly Range[],
  nights: ReadonlySet<number>,
): Range[] {
  if (nights.size === 0) return [...ranges]
  return ranges.flatMap((range) => {
    const remaining: Range[] = []
    let from: number | null = null
    const last = nightOf(range.date_to)
    for (let night = nightOf(range.date_from); night <= last + 1; night++) {
      const isIncluded = night <= last && !nights.has(night)
      if (isIncluded) from ??= night
      else if (from !== null) {
        remaining.push({ ...range, date_from: dateOf(from), date_to: dateOf(night - 1) })
        from = null
      }
    }
    return remaining
  })
}

export function nightsIn({ startDate, endDate }: CalendarInterval): number[] {
  const first = nightOf(startDate)
  return Array.from({ length: nightOf(endDate) - first + 1 }, (_, index) => first + index)
}

function nightValues({ rooms, rates, content }: UnitUpdate, isMultiUnit: boolean): Map<number, NightValues> {
  const nights = new Map<number, NightValues>()
  const add = ({ date_from, date_to }: NightRange, values: NightValues) => {
    if (Object.keys(values).length === 0) return
    const last = nightOf(date_to)
    for (let night = nightOf(date_from); night <= last; night++)
      nights.set(night, { ...nights.get(night), ...values })
  }
  for (const range of rooms) add(range, availabilityValue(range.available, isMultiUnit))
  for (const range of rates) add(range, termValues(range, content.currency))
  return nights
}

/** A listing with one unit is available or not; one with several units has a number of units to sell. */
const availabilityValue = (available: number, isMultiUnit: boolean): NightValues =>
  isMultiUnit ? { desiredUnitsToSell: available } : { isAvailable: available > 0 ? 1 : 0 }

function termValues(terms: Partial<NightTerms>, currency: string): NightValues {
  const { price_cents, min_stay_arrival, max_stay, closed_to_arrival, closed_to_departure } = terms
  return {
    ...(price_cents !== undefined && { price: toMajorUnits(price_cents, currency) }),
    ...(min_stay_arrival !== undefined && { minimumStay: min_stay_arrival }),
    ...(max_stay !== undefined && { maximumStay: max_stay ?? unlimitedStayNights }),
    ...(closed_to_arrival !== undefined && { closedOnArrival: closed_to_arrival ? 1 : 0 }),
    ...(closed_to_departure !== undefined && { closedOnDeparture: closed_to_departure ? 1 : 0 }),
  }
}

function mergeNights(nights: ReadonlyMap<number, NightValues>): CalendarInterval[] {
  const intervals: CalendarInterval[] = []
  let first = NaN
  let last = NaN
  for (const night of [...nights.keys()].sort((a, b) => a - b)) {
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

const areEqual = (one: NightValues, other: NightValues): boolean => {
  const names = Object.keys(one) as (keyof NightValues)[]
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}

function rank({ isAvailable, desiredUnitsToSell, closedOnArrival, closedOnDeparture }: CalendarInterval) {
  if (isAvailable === 0 || desiredUnitsToSell === 0) return 0
  if (isAvailable !== undefined || desiredUnitsToSell !== undefined) return 1
  return closedOnArrival === 1 || closedOnDeparture === 1 ? 1 : 2
}
