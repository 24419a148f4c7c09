import type { CalendarValue } from '#features/calendar/calendar-change.ts'
import { dateOf } from '#nights.ts'
import { addRatePlan } from '#features/rate-plans/queries.ts'
import type { Scope } from '#db/scope.ts'
import type { DemoUnit } from './portfolio.ts'

const plans = [
  { name: 'Breakfast included', meal_plan: 'breakfast', surchargeCents: 1_800 },
  { name: 'Non-refundable', meal_plan: 'none', surchargeCents: -900 },
] as const

const today = () => Math.floor(Date.now() / 86_400_000)

/** A second way to sell every fourth unit. */
export async function seedPlan(
  scope: Scope,
  unit: DemoUnit & { id: string },
  number: number,
): Promise<CalendarValue[]> {
  if (number % 4 !== 0) return []
  const { surchargeCents, ...plan } = plans[(number / 4) % plans.length]!
  const { id } = await addRatePlan(scope, { unit_id: unit.id, ...plan })
  const price_cents = Math.max(1_000, unit.base_price_cents + surchargeCents)
  return [{ unit_id: unit.id, rate_plan_id: id, ...nightsToCome(0, 89), price_cents }]
}

/** Four months of prices: dearer weekends, a season, a rule here and there, and rooms out of sale. */
export function valuesOf(unit: DemoUnit & { id: string }, number: number): CalendarValue[] {
  const of = { unit_id: unit.id }
  const times = (factor: number) => Math.round((unit.base_price_cents * factor) / 100) * 100
  const weekend: CalendarValue['weekdays'] = ['fri', 'sat']
  const season = nightsToCome(60, 90)
  const values: CalendarValue[] = [
    { ...of, ...nightsToCome(0, 119), weekdays: weekend, price_cents: times(1.2), min_stay_arrival: 2 },
    { ...of, ...season, price_cents: times(1.35), min_stay_through: 3 },
    { ...of, ...season, weekdays: weekend, price_cents: times(1.55) },
  ]
  if (number % 4 === 0) values.push({ ...of, ...season, weekdays: ['wed'], closed_to_arrival: true })
  if (number % 5 === 0)
    values.push({ ...of, ...nightsToCome(130 + number, 134 + number), blocked: 1, reason: 'Painting' })
  if (number % 7 === 0) values.push({ ...of, ...nightsToCome(20, 21), stop_sell: true })
  return values
}

const nightsToCome = (first: number, last: number) => ({
  date_from: dateOf(today() + first),
  date_to: dateOf(today() + last),
})
