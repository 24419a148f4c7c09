import { dateOf, dayIn, nightOf } from '#schema/nights.ts'
import type { RemoteUnit, UnitContent } from '#integrations/pms/pms.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { mergeShown, diffContent } from './content.ts'
import {
  applyRuns,
  truncateGrid,
  nightsAhead,
  diffGrids,
  fromCell,
  emptyGrid,
  type CalendarGrid,
} from './calendar-grid.ts'
import type { DesiredUnit } from './desired-queries.ts'

/** A difference between what the PMS shows and what is desired. A difference of the content has no nights. */
export interface Difference {
  field: string
  rate_plan_id: string | null
  date_from: string | null
  date_to: string | null
  desired: unknown
  read_back: unknown
}

/** What is compared: the desired unit, and what the PMS is known to have accepted. */
export interface Comparison {
  readonly claim: { readonly accepted: string | null }
  readonly unit: DesiredUnit
  readonly content: UnitContent
  readonly desired: CalendarGrid
  readonly known: CalendarGrid
}

/** What the PMS shows for the compared nights; null where it shows nothing. */
export function shownGrid(wanted: CalendarGrid, { rooms, rates }: RemoteUnit): CalendarGrid {
  const values = emptyGrid(wanted.first, wanted.rooms.length)
  applyRuns(values, { rooms: [...rooms], rates: [...rates] })
  return values
}

/** The maximum number of nights that come into range between two daily read-backs. */
const horizonSlack = 2

/**
 * The desired values of the nights that the PMS has received. At local midnight a night comes into range that the
 * next daily read-back sends; until then it is expected to be missing at the PMS, and is no drift.
 */
function sentNights({ claim, unit, desired: wanted, known: had }: Comparison): CalendarGrid {
  const { first, rooms } = wanted
  const isUnsent = (at: number) =>
    (had.rooms[at] ?? null) === null &&
    [...had.plans.values()].every((terms) => Object.values(terms).every((column) => column[at] === null))
  let end = rooms.length
  if (end === 0 || claim.accepted === null || !isUnsent(end - 1)) return wanted
  const fresh = nightOf(dayIn(unit.space.timezone)) + nightsAhead - horizonSlack
  while (end > 0 && first + end - 1 >= fresh && isUnsent(end - 1)) end--
  return truncateGrid(wanted, end)
}

/** The differences by field and range, limited to what the provider supports. */
export function findDifferences(push: Comparison, seen: RemoteUnit | null, provider: Provider): Difference[] {
  const { content } = push
  if (!seen)
    return [
      {
        field: 'unit',
        rate_plan_id: null,
        date_from: null,
        date_to: null,
        desired: content.name,
        read_back: null,
      },
    ]
  const found: Difference[] = diffContent(mergeShown(content, seen.content), content)
    .map(({ field, before, after }) => ({ field, desired: after, read_back: before }))
    .map((one) => ({ ...one, rate_plan_id: null, date_from: null, date_to: null }))
  const wanted = sentNights(push)
  const shown = shownGrid(wanted, seen)
  const { rooms, rates } = diffGrids(shown, wanted, provider.terms, false)
  for (const { date_from, date_to } of splitRuns(rooms, shown.rooms, wanted.first))
    found.push({
      field: 'available',
      rate_plan_id: null,
      date_from,
      date_to,
      desired: at(wanted.rooms, wanted.first, date_from),
      read_back: at(shown.rooms, wanted.first, date_from),
    })
  for (const run of rates)
    for (const term of provider.terms) {
      if (run[term] === undefined) continue
      const column = shown.plans.get(run.plan)?.[term] ?? []
      for (const { date_from, date_to } of splitRuns([run], column, wanted.first)) {
        const value = at(column, wanted.first, date_from)
        found.push({
          field: term,
          rate_plan_id: run.plan,
          date_from,
          date_to,
          desired: run[term],
          read_back: value === null ? null : fromCell(term, value),
        })
      }
    }
  return found
}

const at = (column: readonly (number | null)[], first: number, date: string) =>
  column[nightOf(date) - first] ?? null

/** Splits the runs where the shown value changes. */
function* splitRuns(
  runs: readonly { date_from: string; date_to: string }[],
  shown: readonly (number | null)[],
  first: number,
): Generator<{ date_from: string; date_to: string }> {
  for (const { date_from, date_to } of runs) {
    const end = nightOf(date_to) - first
    for (let from = nightOf(date_from) - first; from <= end;) {
      let to = from
      while (to < end && (shown[to + 1] ?? null) === (shown[from] ?? null)) to++
      yield { date_from: dateOf(first + from), date_to: dateOf(first + to) }
      from = to + 1
    }
  }
}
