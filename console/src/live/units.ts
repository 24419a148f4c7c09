import type { QueryClient } from '@tanstack/react-query'
import { listUnits } from '@vacancy/client'
import type { Client, Unit } from '@vacancy/client'

import { invalidate } from './invalidation.ts'

/** The list of all units, as `useAllUnits` reads it. */
export const allUnitsKey = ['units'] as const

/** As many as a filter takes, and a page of a list has. */
const maxIds = 100

/** Reads these units; those that do not exist are left out. */
export const readUnits = async (api: Client, ids: readonly string[]): Promise<Unit[]> => {
  const found: Unit[] = []
  for (let at = 0; at < ids.length; at += maxIds) {
    const query = { id: ids.slice(at, at + maxIds), limit: maxIds }
    found.push(...(await api.send(listUnits, { query })).units)
  }
  return found
}

/** Reads the units that were added, changed or deleted, for the list of all. */
export const refreshUnits = async (queries: QueryClient, api: Client, ids: readonly string[]) => {
  const list = queries.getQueryCache().find({ queryKey: allUnitsKey })
  if (!list) return
  const reading = list.state.fetchStatus === 'fetching' ? list.promise : undefined
  const found = await readUnits(api, ids).catch(() => null)
  if (!found) return invalidate(queries, { queryKey: allUnitsKey, exact: true })
  const show = () =>
    queries.setQueryData<Unit[]>(allUnitsKey, (units) => units && merge(units, new Set(ids), found))
  show()
  // It may have passed the place of a new unit, or have read one that was deleted then.
  if (reading) await reading.then(show, () => {})
}

const merge = (units: readonly Unit[], ids: ReadonlySet<string>, found: readonly Unit[]): Unit[] => {
  const added = new Map(found.map((unit) => [unit.id, unit]))
  const kept = units.flatMap((unit) => {
    const other = added.get(unit.id)
    added.delete(unit.id)
    if (!other) return ids.has(unit.id) ? [] : [unit]
    // Of two replies the older one may come last.
    return [other.updated_at >= unit.updated_at ? other : unit]
  })
  return [...kept, ...added.values()]
}

/** Merges what is now known of a unit into the cached list. */
export const updateCachedUnit = (queries: QueryClient, fresh: Partial<Unit> & { id: string }) => {
  queries.setQueryData<Unit[]>(allUnitsKey, (units) =>
    units?.map((unit) => (unit.id === fresh.id ? { ...unit, ...fresh } : unit)),
  )
}
