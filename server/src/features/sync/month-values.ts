import { dateOf, nightOf } from '#nights.ts'
import { termNames, type TermName } from '#outside/pms/pms.ts'
import { termsOf, unknownNights, unknownTerms, type NightValues, type Value } from './night-values.ts'

/** The nights of one month as they are stored: by day of the month, null where nothing is known. */
export interface MonthValues {
  rooms: Value[]
  plans: Record<string, Partial<Record<TermName, Value[]>>>
}

export const monthOf = (date: string) => `${date.slice(0, 7)}-01`

/** The stored months, cut to a stretch of nights. */
export function nightsOf(
  months: ReadonlyMap<string, MonthValues>,
  first: number,
  count: number,
): NightValues {
  const values = unknownNights(first, count)
  for (const [month, { rooms, plans }] of months) {
    const offset = nightOf(month) - first
    copy(rooms, values.rooms, offset)
    for (const plan in plans) {
      const terms = termsOf(values, plan)
      for (const term of termNames) copy(plans[plan]![term] ?? [], terms[term], offset)
    }
  }
  return values
}

/** The months that a stretch of nights touches, with these nights entered into what was stored of them. */
export function monthsWith(
  stored: ReadonlyMap<string, MonthValues>,
  values: NightValues,
): Map<string, MonthValues> {
  const entered = new Map<string, MonthValues>()
  const end = values.first + values.rooms.length
  for (let night = values.first; night < end;) {
    const month = monthOf(dateOf(night))
    const start = nightOf(month)
    const days = daysIn(month)
    const offset = values.first - start
    const before = stored.get(month)
    const plans: MonthValues['plans'] = {}
    for (const plan of new Set([...Object.keys(before?.plans ?? {}), ...values.plans.keys()])) {
      const terms: Partial<Record<TermName, Value[]>> = { ...unknownTerms(days), ...before?.plans[plan] }
      const now = values.plans.get(plan)
      if (now)
        for (const term of termNames)
          terms[term] = copied(before?.plans[plan]?.[term], now[term], offset, days)
      plans[plan] = terms
    }
    entered.set(month, { rooms: copied(before?.rooms, values.rooms, offset, days), plans })
    night = start + days
  }
  return entered
}

const daysIn = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate()

function copied(before: Value[] | undefined, from: Value[], offset: number, days: number): Value[] {
  const column = before ? before.slice(0, days) : Array<Value>(days).fill(null)
  while (column.length < days) column.push(null)
  copy(from, column, offset)
  return column
}

function copy(from: readonly Value[], to: Value[], offset: number): void {
  for (let index = Math.max(0, -offset); index < from.length && index + offset < to.length; index++)
    to[index + offset] = from[index] ?? null
}
