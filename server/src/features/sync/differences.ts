import { dateOf, dayIn, nightOf } from '#nights.ts'
import type { Provider, Shown } from '#outside/pms/pms.ts'
import { nightsAhead } from './claim-queries.ts'
import { asShown, changesBetween } from './content.ts'
import { enter, firstNights, runsBetween, spoken, unknownNights, type NightValues } from './night-values.ts'
import type { Push } from './prepare-pushes.ts'

/** Where the PMS shows something else than is wanted. A difference of the content has no nights. */
export interface Difference {
  field: string
  rate_plan_id: string | null
  date_from: string | null
  date_to: string | null
  desired: unknown
  read_back: unknown
}

/** What the PMS shows over the nights that are looked at; null where it shows nothing. */
export function shownNights(wanted: NightValues, { rooms, rates }: Shown): NightValues {
  const values = unknownNights(wanted.first, wanted.rooms.length)
  enter(values, { rooms: [...rooms], rates: [...rates] })
  return values
}

/** So many nights come into reach between two nightly looks, at most. */
const mostFresh = 2

/**
 * What is wanted of the nights that the PMS has been told of. With each local midnight a night comes into reach that the
 * next nightly look tells; until then it is missing over there as everybody expects, and no drift.
 */
function told({ claim, unit, wanted, had }: Push): NightValues {
  const { first, rooms } = wanted
  const isUntold = (at: number) =>
    (had.rooms[at] ?? null) === null &&
    [...had.plans.values()].every((terms) => Object.values(terms).every((column) => column[at] === null))
  let end = rooms.length
  if (end === 0 || claim.accepted === null || !isUntold(end - 1)) return wanted
  const fresh = nightOf(dayIn(unit.space.timezone)) + nightsAhead - mostFresh
  while (end > 0 && first + end - 1 >= fresh && isUntold(end - 1)) end--
  return firstNights(wanted, end)
}

/** Field by field and stretch by stretch, as far as the provider can hold it. */
export function differencesBetween(push: Push, seen: Shown | null, provider: Provider): Difference[] {
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
  const found: Difference[] = changesBetween(asShown(content, seen.content), content)
    .map(({ field, before, after }) => ({ field, desired: after, read_back: before }))
    .map((one) => ({ ...one, rate_plan_id: null, date_from: null, date_to: null }))
  const wanted = told(push)
  const shown = shownNights(wanted, seen)
  const { rooms, rates } = runsBetween(shown, wanted, provider.terms, false)
  for (const { date_from, date_to } of split(rooms, shown.rooms, wanted.first))
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
      for (const { date_from, date_to } of split([run], column, wanted.first)) {
        const value = at(column, wanted.first, date_from)
        found.push({
          field: term,
          rate_plan_id: run.plan,
          date_from,
          date_to,
          desired: run[term],
          read_back: value === null ? null : spoken(term, value),
        })
      }
    }
  return found
}

const at = (column: readonly (number | null)[], first: number, date: string) =>
  column[nightOf(date) - first] ?? null

/** The runs, cut where what is shown changes. */
function* split(
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
