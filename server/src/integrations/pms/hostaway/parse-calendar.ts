import { fromMajorUnits } from '../pms-amounts.ts'
import { mergeNights } from '../night-ranges.ts'
import type { NightTerms, RateRange, AvailabilityRange } from '../pms.ts'
import { unlimitedStayNights } from './calendar-messages.ts'

/** A night of a listing's calendar. */
export type CalendarDay = Readonly<Record<string, unknown>> & { readonly date: string }

export function isCalendarDay(value: unknown): value is CalendarDay {
  const date = (value as { date?: unknown } | null)?.date
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date)
}

export const parseAvailability = (days: readonly CalendarDay[]): AvailabilityRange[] =>
  mergeNights(days.map((day) => [day.date, { available: unitsToSell(day) }] as const))

/** The terms of the listing, as those of the rate plan that is linked to it. */
export const parseRates = (days: readonly CalendarDay[], plan: string, currency: unknown): RateRange[] =>
  mergeNights(days.map((day) => [day.date, { plan, ...parseTerms(day, currency) }] as const))

function unitsToSell({ availableUnitsToSell, isAvailable }: CalendarDay): number {
  if (typeof availableUnitsToSell === 'number') return availableUnitsToSell
  return isAvailable === 1 || isAvailable === true ? 1 : 0
}

function parseTerms(day: CalendarDay, currency: unknown): Partial<NightTerms> {
  const { price, minimumStay, maximumStay, closedOnArrival, closedOnDeparture } = day
  const priceCents = fromMajorUnits(price, currency)
  const hasMaxStay = typeof maximumStay === 'number' && maximumStay < unlimitedStayNights
  return {
    ...(priceCents !== null && { price_cents: priceCents }),
    min_stay_arrival: typeof minimumStay === 'number' ? minimumStay : 1,
    max_stay: hasMaxStay ? maximumStay : null,
    closed_to_arrival: Boolean(Number(closedOnArrival)),
    closed_to_departure: Boolean(Number(closedOnDeparture)),
  }
}
