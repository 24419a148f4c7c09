import { nightOf } from '#nights.ts'
import type { Nights, NightTerms, PlanNights, RoomNights } from '../pms.ts'
import { toMinorUnits } from './amounts.ts'
import { longestStayNights } from './intervals.ts'

/** A night as Hostaway shows it. */
export type Day = Readonly<Record<string, unknown>> & { readonly date: string }

export function isDay(value: unknown): value is Day {
  const date = (value as { date?: unknown } | null)?.date
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date)
}

/** How many rooms are for sale, equal neighbours joined. */
export const shownRooms = (days: readonly Day[]): RoomNights[] =>
  joined(days, (day) => ({ available: roomsForSale(day) }))

/** The terms of the plan that stands for the listing itself, equal neighbours joined. */
export const shownRates = (days: readonly Day[], plan: string, currency: unknown): PlanNights[] =>
  joined(days, (day) => ({ plan, ...termsOf(day, currency) }))

function roomsForSale({ availableUnitsToSell, isAvailable }: Day): number {
  if (typeof availableUnitsToSell === 'number') return availableUnitsToSell
  return isAvailable === 1 || isAvailable === true ? 1 : 0
}

function termsOf(day: Day, currency: unknown): Partial<NightTerms> {
  const { price, minimumStay, maximumStay, closedOnArrival, closedOnDeparture } = day
  const priceCents = toMinorUnits(price, currency)
  const isLimited = typeof maximumStay === 'number' && maximumStay < longestStayNights
  return {
    ...(priceCents !== null && { price_cents: priceCents }),
    min_stay_arrival: typeof minimumStay === 'number' ? minimumStay : 1,
    max_stay: isLimited ? maximumStay : null,
    closed_to_arrival: Boolean(Number(closedOnArrival)),
    closed_to_departure: Boolean(Number(closedOnDeparture)),
  }
}

function joined<Values extends object>(
  days: readonly Day[],
  valuesOf: (day: Day) => Values,
): (Nights & Values)[] {
  const runs: (Nights & Values)[] = []
  let lastKey = ''
  for (const day of [...days].sort((one, other) => nightOf(one.date) - nightOf(other.date))) {
    const values = valuesOf(day)
    const key = JSON.stringify(values)
    const run = runs.at(-1)
    if (run && key === lastKey && nightOf(day.date) === nightOf(run.date_to) + 1)
      runs[runs.length - 1] = { ...run, date_to: day.date }
    else runs.push({ date_from: day.date, date_to: day.date, ...values })
    lastKey = key
  }
  return runs
}
