import { dayOf } from '../dates.ts'
import { judge, readLists, type Unknowns } from './calendar-values.ts'
import { invalid, record } from './checks.ts'
import type { Mark, Store } from './store.ts'
import { readChange } from './unit.ts'

/** A property of a thousand rooms fits into one message. */
export const longestCalendarBytes = 10 * 1024 * 1024

/** Why a value is refused that is right in itself, asked anew for each call. */
export type Takes = (property: string) => Unknowns['refuses']

/** Takes the values that can be taken. An answer with refusals is not kept under its key: what was wrong may be right
 * when the same call comes again. */
export function takeCalendar(
  property: string,
  body: unknown,
  mark: Mark | undefined,
  store: Store,
  takes: Takes,
) {
  const { rooms, rates, refused } = judge(readLists(body), {
    timezoneOf: (externalId) => store.find(property, externalId)?.space.timezone,
    refuses: takes(property),
  })
  store.tell(property, { rooms, rates }, refused.length === 0 ? mark : undefined)
  return { accepted: rooms.length + rates.length, refused }
}

/** The units asked for, or all; units that are not known are left out. */
export function showCalendar(property: string, query: URLSearchParams, store: Store) {
  const from = day(query, 'from')
  const to = day(query, 'to')
  if (to < from) throw invalid('to', 'must not be before from')
  const named = query.getAll('external_id')
  const ids = named.length > 0 ? named : store.list(property).map((unit) => unit.external_id)
  const known = [...new Set(ids)].filter((id) => store.find(property, id))
  return { units: known.map((id) => store.show(property, id, from, to)) }
}

/** Every unit that a call of the calendar speaks of. */
export function unitsNamed(query: URLSearchParams, body: unknown): string[] {
  const ids = new Set<unknown>(query.getAll('external_id'))
  const { rooms, rates } = (body ?? {}) as { rooms?: unknown; rates?: unknown }
  for (const list of [rooms, rates])
    if (Array.isArray(list)) for (const value of list) ids.add((value as RoomLike | null)?.external_id)
  return [...ids].filter((id) => typeof id === 'string')
}

type RoomLike = { external_id?: unknown }

/** What a person over there changes: no call is noted, no fault strikes. */
export function changeByHand(body: unknown, store: Store) {
  const { property, units = [], ...lists } = record(body, '')
  if (typeof property !== 'string') throw invalid('property', 'must be text')
  if (!Array.isArray(units)) throw invalid('units', 'must be a list')
  const changes = units.map((unit: unknown) => {
    const { external_id } = record(unit, 'units')
    const before = store.find(property, String(external_id))
    if (!before) throw invalid('units', `name ${String(external_id)}, which is not known`)
    return { before, fields: readChange(unit, before) }
  })
  for (const { before, fields } of changes) store.save(property, before.external_id, fields, undefined)
  return takeCalendar(property, lists, undefined, store, () => () => undefined)
}

function day(query: URLSearchParams, name: string): number {
  const found = dayOf(query.get(name))
  if (found === undefined) throw invalid(name, 'must be a date')
  return found
}
