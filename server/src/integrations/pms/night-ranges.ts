import { isDeepStrictEqual } from 'node:util'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { NightRange } from './pms.ts'

/** Merges consecutive nights with equal values into ranges. A missing night ends a range. */
export function mergeNights<T extends object>(
  nights: Iterable<readonly [date: string, values: T]>,
): (NightRange & T)[] {
  const ranges: { date_from: string; date_to: string; values: T }[] = []
  for (const [date, values] of [...nights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last && nightOf(last.date_to) + 1 === nightOf(date) && isDeepStrictEqual(last.values, values))
      last.date_to = date
    else ranges.push({ date_from: date, date_to: date, values })
  }
  return ranges.map(({ values, ...range }) => ({ ...range, ...values }))
}

/** Splits a range into ranges of at most so many nights. */
export function splitRange({ date_from, date_to }: NightRange, maxNights: number): NightRange[] {
  const ranges: NightRange[] = []
  for (let from = date_from; from <= date_to; from = addDays(from, maxNights)) {
    const to = addDays(from, maxNights - 1)
    ranges.push({ date_from: from, date_to: to < date_to ? to : date_to })
  }
  return ranges
}

const addDays = (date: string, days: number) => dateOf(nightOf(date) + days)
