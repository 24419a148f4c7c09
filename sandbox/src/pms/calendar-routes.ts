import { dayOf } from '../data/dates.ts'
import { validateValues, readLists, type ValueContext } from './calendar-values.ts'
import { invalid, record } from './checks.ts'
import type { IdempotencyMark, Store } from './store.ts'
import { readChange } from './unit.ts'

/** Enough for a property of a thousand rooms. */
export const maxCalendarBytes = 10 * 1024 * 1024

/** The values of a property that rules of faults refuse; called once for each call. */
export type ValueRefusals = (property: string) => ValueContext['refuses']

/**
 * Saves the valid values. An answer with refusals is not kept under its idempotency key, because a refused value may be
 * valid when the same call comes again.
 */
export function acceptCalendar(
  property: string,
  body: unknown,
  mark: IdempotencyMark | undefined,
  store: Store,
  valueRefusals: ValueRefusals,
) {
  const { rooms, rates, refused } = validateValues(readLists(body), {
    timezoneOf: (externalId) => store.find(property, externalId)?.space.timezone,
    refuses: valueRefusals(property),
  })
  store.saveCalendar(property, { rooms, rates }, refused.length === 0 ? mark : undefined)
  return { accepted: rooms.length + rates.length, refused }
}

/** The units of the query, or all of them. Unknown units are left out. */
export function showCalendar(property: string, query: URLSearchParams, store: Store) {
  const from = day(query, 'from')
  const to = day(query, 'to')
  if (to < from) throw invalid('to', 'must not be before from')
  const named = query.getAll('external_id')
  const ids = named.length > 0 ? named : store.list(property).map((unit) => unit.external_id)
  const known = [...new Set(ids)].filter((id) => store.find(property, id))
  return { units: known.map((id) => store.show(property, id, from, to)) }
}

/** Every unit that a call of the calendar names. */
export function unitsNamed(query: URLSearchParams, body: unknown): string[] {
  const ids = new Set<unknown>(query.getAll('external_id'))
  const { rooms, rates } = (body ?? {}) as { rooms?: unknown; rates?: unknown }
  for (const list of [rooms, rates])
    if (Array.isArray(list)) for (const value of list) ids.add((value as UnitValue | null)?.external_id)
  return [...ids].filter((id) => typeof id === 'string')
}

type UnitValue = { external_id?: unknown }

/** Changes values as a person at the PMS does: the call is not recorded, and no fault applies. */
export function changeManually(body: unknown, store: Store) {
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
  return acceptCalendar(property, lists, undefined, store, () => () => undefined)
}

function day(query: URLSearchParams, name: string): number {
  const found = dayOf(query.get(name))
  if (found === undefined) throw invalid(name, 'must be a date')
  return found
}
