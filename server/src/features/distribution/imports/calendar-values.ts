import { dateOf, nightOf } from '#schema/nights.ts'
import type { AvailabilityRange, RateRange, TermName } from '#integrations/pms/pms.ts'
import type { CalendarValue } from '#features/inventory/calendar/calendar-change.ts'

/** The price of most nights. */
export function commonPrice(rates: readonly RateRange[]): number | null {
  const nights = new Map<number, number>()
  for (const { price_cents: price, ...range } of rates)
    if (price !== undefined && price > 0) nights.set(price, (nights.get(price) ?? 0) + lengthOf(range))
  const [most] = [...nights].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? null
}

/** The values of a plan that differ from those of a night without values of its own. */
export function toCalendarValues(
  rates: readonly RateRange[],
  unit: { readonly unit_id: string; readonly basePrice: number },
  rate_plan_id: string,
): CalendarValue[] {
  const defaults: Readonly<Record<TermName, unknown>> = {
    price_cents: unit.basePrice,
    min_stay_arrival: 1,
    min_stay_through: 1,
    max_stay: null,
    closed_to_arrival: false,
    closed_to_departure: false,
    stop_sell: false,
  }
  return rates.flatMap(({ plan: _, date_from, date_to, ...terms }) => {
    const own = Object.entries(withinBounds(terms)).filter(
      ([name, value]) => value !== undefined && value !== defaults[name as TermName],
    )
    if (own.length === 0) return []
    return [{ unit_id: unit.unit_id, rate_plan_id, date_from, date_to, ...Object.fromEntries(own) }]
  })
}

/**
 * Values that the PMS allows and we do not: a maximum stay below the minimum has no effect but to close the night, and a
 * price of 0 is that of a night which never got one.
 */
function withinBounds({
  price_cents,
  min_stay_arrival,
  min_stay_through,
  max_stay,
  ...terms
}: Partial<RateRange>) {
  const stay = (nights: number) => Math.min(Math.max(nights, 1), 999)
  const longest = max_stay ? stay(max_stay) : max_stay
  const minimum = (nights: number | undefined) =>
    nights === undefined ? undefined : Math.min(stay(nights), longest ?? 999)
  return {
    ...terms,
    ...(price_cents !== undefined && price_cents <= 0 ? { stop_sell: true } : { price_cents }),
    max_stay: longest,
    min_stay_arrival: minimum(min_stay_arrival),
    min_stay_through: minimum(min_stay_through),
  }
}

/** The rooms that the PMS neither sells nor has booked, as blocks. `taken` are the rooms of bookings here by night. */
export function toBlocks(
  rooms: readonly AvailabilityRange[],
  { unit_id, quantity }: { readonly unit_id: string; readonly quantity: number },
  taken: ReadonlyMap<string, number>,
): CalendarValue[] {
  const values: CalendarValue[] = []
  for (const { date_from, date_to, available } of rooms)
    for (let night = nightOf(date_from); night <= nightOf(date_to); night++) {
      const date = dateOf(night)
      const blocked = Math.max(0, quantity - Math.max(0, available) - (taken.get(date) ?? 0))
      const last = values.at(-1)
      if (last && last.blocked === blocked && nightOf(last.date_to) === night - 1) last.date_to = date
      else if (blocked > 0)
        values.push({ unit_id, date_from: date, date_to: date, blocked, reason: 'Closed at the PMS' })
    }
  return values
}

const lengthOf = ({ date_from, date_to }: { date_from: string; date_to: string }) =>
  nightOf(date_to) - nightOf(date_from) + 1
