import { dateOf, nightOf } from '#schema/nights.ts'
import { termNames, type TermName } from '#integrations/pms/pms.ts'
import { getOrAddTerms, emptyGrid, emptyTerms, type CalendarGrid, type CellValue } from './calendar-grid.ts'

/** The nights of one month as they are stored: by day of the month, null where nothing is known. */
export interface StoredMonth {
  rooms: CellValue[]
  plans: Record<string, Partial<Record<TermName, CellValue[]>>>
}

export const firstOfMonth = (date: string) => `${date.slice(0, 7)}-01`

/** A range of nights from the stored months. */
export function gridFromMonths(
  months: ReadonlyMap<string, StoredMonth>,
  first: number,
  count: number,
): CalendarGrid {
  const values = emptyGrid(first, count)
  for (const [month, { rooms, plans }] of months) {
    const offset = nightOf(month) - first
    copyColumn(rooms, values.rooms, offset)
    for (const plan in plans) {
      const terms = getOrAddTerms(values, plan)
      for (const term of termNames) copyColumn(plans[plan]![term] ?? [], terms[term], offset)
    }
  }
  return values
}

/** The months of a range of nights, with these nights written into the stored values. */
export function monthsFromGrid(
  stored: ReadonlyMap<string, StoredMonth>,
  values: CalendarGrid,
): Map<string, StoredMonth> {
  const entered = new Map<string, StoredMonth>()
  const end = values.first + values.rooms.length
  for (let night = values.first; night < end;) {
    const month = firstOfMonth(dateOf(night))
    const start = nightOf(month)
    const days = daysIn(month)
    const offset = values.first - start
    const before = stored.get(month)
    const plans: StoredMonth['plans'] = {}
    for (const plan of new Set([...Object.keys(before?.plans ?? {}), ...values.plans.keys()])) {
      const terms: Partial<Record<TermName, CellValue[]>> = { ...emptyTerms(days), ...before?.plans[plan] }
      const now = values.plans.get(plan)
      if (now)
        for (const term of termNames)
          terms[term] = mergeColumn(before?.plans[plan]?.[term], now[term], offset, days)
      plans[plan] = terms
    }
    entered.set(month, { rooms: mergeColumn(before?.rooms, values.rooms, offset, days), plans })
    night = start + days
  }
  return entered
}

const daysIn = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate()

function mergeColumn(
  before: CellValue[] | undefined,
  from: CellValue[],
  offset: number,
  days: number,
): CellValue[] {
  const column = before ? before.slice(0, days) : Array<CellValue>(days).fill(null)
  while (column.length < days) column.push(null)
  copyColumn(from, column, offset)
  return column
}

function copyColumn(from: readonly CellValue[], to: CellValue[], offset: number): void {
  for (let index = Math.max(0, -offset); index < from.length && index + offset < to.length; index++)
    to[index + offset] = from[index] ?? null
}
