import { isDeepStrictEqual } from 'node:util'
import type { Nights } from '../pms.ts'

/** Equal neighbours of a calendar by date, joined. Nights that are not there end a run. */
export function joined<T extends object>(
  nights: Iterable<readonly [date: string, values: T]>,
): (Nights & T)[] {
  const runs: { date_from: string; date_to: string; values: T }[] = []
  for (const [date, values] of [...nights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = runs.at(-1)
    if (last && plusDays(last.date_to, 1) === date && isDeepStrictEqual(last.values, values))
      last.date_to = date
    else runs.push({ date_from: date, date_to: date, values })
  }
  return runs.map(({ values, ...nights }) => ({ ...nights, ...values }))
}

/** These nights in pieces of so many. */
export function pieces({ date_from, date_to }: Nights, nightsInPiece: number): Nights[] {
  const parts: Nights[] = []
  for (let from = date_from; from <= date_to; from = plusDays(from, nightsInPiece)) {
    const to = plusDays(from, nightsInPiece - 1)
    parts.push({ date_from: from, date_to: to < date_to ? to : date_to })
  }
  return parts
}

const dayMs = 86_400_000
const plusDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
