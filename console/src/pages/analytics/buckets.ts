import type { contract } from '@vacancy/client'

import type { Grouping } from './period.ts'

export type Day = contract.Analytics['by_day'][number]

/** The nights of a day, a week or a month, together. */
export interface Bucket {
  from: string
  to: string
  nights: number
  available: number
  revenueCents: number
  /** Sold nights whose price is part of the revenue; those in another currency are not. */
  pricedNights: number
}

export const occupancyOf = ({ nights, available }: Bucket) => (available > 0 ? nights / available : null)
export const adrOf = ({ revenueCents, pricedNights }: Bucket) =>
  pricedNights > 0 ? Math.round(revenueCents / pricedNights) : null
export const revparOf = ({ revenueCents, available }: Bucket) =>
  available > 0 ? Math.round(revenueCents / available) : null

export const groupDays = (days: readonly Day[], by: Grouping): Bucket[] => {
  const buckets: Bucket[] = []
  let key = ''
  for (const day of days) {
    const next = keyOf(day.date, by)
    if (next !== key) buckets.push({ ...nothing, from: day.date, to: day.date })
    key = next
    const bucket = buckets.at(-1) as Bucket
    bucket.to = day.date
    bucket.nights += day.nights
    bucket.available += day.available_nights
    bucket.revenueCents += day.revenue_cents
    bucket.pricedNights += pricedNightsOf(day)
  }
  return buckets
}

const nothing = { nights: 0, available: 0, revenueCents: 0, pricedNights: 0 }

/** The rate of a day is rounded to a cent, so the division gives the nights back. */
const pricedNightsOf = ({ adr_cents, revenue_cents, nights }: Day) =>
  adr_cents === null ? 0 : adr_cents === 0 ? nights : Math.round(revenue_cents / adr_cents)

const keyOf = (date: string, by: Grouping): string => {
  if (by === 'month') return date.slice(0, 7)
  if (by === 'day') return date
  // 5 January 1970 was the first Monday.
  return String(Math.floor((Date.parse(date) / 86_400_000 - 4) / 7))
}
