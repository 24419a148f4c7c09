import type { CalendarValue } from '#features/inventory/calendar/calendar-change.ts'
import { dateOf } from '#schema/nights.ts'
import { createRatePlan } from '#features/inventory/rate-plans/queries.ts'
import type { Scope } from '#db/scope.ts'
import type { DemoUnit } from './portfolio.ts'

const plans = [
  { name: 'Breakfast included', meal_plan: 'breakfast', surchargeCents: 1_800 },
  { name: 'Non-refundable', meal_plan: 'none', surchargeCents: -900 },
] as const

const today = () => Math.floor(Date.now() / 86_400_000)

/** Adds a rate plan to every fourth unit, and returns its prices. */
export async function seedRatePlan(
  scope: Scope,
  unit: DemoUnit & { id: string },
  number: number,
): Promise<CalendarValue[]> {
  if (number % 4 !== 0) return []
  const { surchargeCents, ...plan } = plans[(number / 4) % plans.length]!
  const { id } = await createRatePlan(scope, { unit_id: unit.id, ...plan })
  const price_cents = Math.max(1_000, unit.base_price_cents + surchargeCents)
  return [{ unit_id: unit.id, rate_plan_id: id, ...nightsFromToday(0, 89), price_cents }]
}

/** Four months of prices with higher weekends and a season, some stay rules, and blocked rooms. */
export function calendarValuesOf(unit: DemoUnit & { id: string }, number: number): CalendarValue[] {
  const unitOnly = { unit_id: unit.id }
  const scaledPrice = (factor: number) => Math.round((unit.base_price_cents * factor) / 100) * 100
  const weekend: CalendarValue['weekdays'] = ['fri', 'sat']
  const season = nightsFromToday(60, 90)
  const values: CalendarValue[] = [
    {
      ...unitOnly,
      ...nightsFromToday(0, 119),
      weekdays: weekend,
      price_cents: scaledPrice(1.2),
      min_stay_arrival: 2,
    },
    { ...unitOnly, ...season, price_cents: scaledPrice(1.35), min_stay_through: 3 },
    { ...unitOnly, ...season, weekdays: weekend, price_cents: scaledPrice(1.55) },
  ]
  if (number % 4 === 0) values.push({ ...unitOnly, ...season, weekdays: ['wed'], closed_to_arrival: true })
  if (number % 5 === 0)
    values.push({
      ...unitOnly,
      ...nightsFromToday(130 + number, 134 + number),
      blocked: 1,
      reason: 'Painting',
    })
  if (number % 7 === 0) values.push({ ...unitOnly, ...nightsFromToday(20, 21), stop_sell: true })
  return values
}

const nightsFromToday = (first: number, last: number) => ({
  date_from: dateOf(today() + first),
  date_to: dateOf(today() + last),
})
