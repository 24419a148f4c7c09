import type { ChannelListing, Space, Unit } from '@vacancy/client'

import { stateOf } from '../../live/sync-state.ts'
import type { Statuses } from '../../live/sync-state.ts'
import { groupUnits } from '../portfolio/group-units.ts'
import type { CalendarFilter } from './filter.ts'

export interface CalendarUnit {
  unit: Unit
  space: Space
  listings: ChannelListing[]
}

/** A line of the calendar; `unitIndex` counts units only, in the order in which they are shown. */
export type CalendarRow =
  | { kind: 'space'; key: string; space: Space; isCollapsed: boolean }
  | { kind: 'unit'; key: string; shown: CalendarUnit; unitIndex: number; isExpanded: boolean }
  | { kind: 'plan'; key: string; shown: CalendarUnit; unitIndex: number; plan: number }
  | { kind: 'stay'; key: string; shown: CalendarUnit; unitIndex: number }

/** The units that match the filter, by space and name. */
export const filterUnits = (
  spaces: Space[],
  units: Unit[],
  listings: ChannelListing[],
  statuses: Statuses,
  { q = '', space, state }: CalendarFilter,
): CalendarUnit[] => {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return groupUnits(spaces, units, listings)
    .filter((group) => !space || group.space.id === space)
    .flatMap((group) => group.rows.map((row) => ({ ...row, space: group.space })))
    .filter(({ unit, space: { name, city }, listings: own }) => {
      if (unit.status === 'archived') return false
      if (state && !own.some((listing) => stateOf(listing, statuses[listing.id]) === state)) return false
      const text = `${unit.name}\n${name}\n${city}`.toLocaleLowerCase()
      return words.every((word) => text.includes(word))
    })
}

interface Folding {
  /** Spaces whose units are hidden. */
  collapsed: ReadonlySet<string>
  /** Units whose plans and restrictions are shown. */
  expanded: ReadonlySet<string>
}

/** The units that are not hidden with their space, and all rows with them. */
export const buildRows = (
  shown: readonly CalendarUnit[],
  { collapsed, expanded }: Folding,
  planCount: (unitId: string) => number,
) => {
  const rows: CalendarRow[] = []
  const visible: CalendarUnit[] = []
  for (const [spaceId, own] of Map.groupBy(shown, ({ space }) => space.id)) {
    const { space } = own[0] as CalendarUnit
    const isCollapsed = collapsed.has(spaceId)
    rows.push({ kind: 'space', key: spaceId, space, isCollapsed })
    if (isCollapsed) continue
    for (const one of own) {
      const unitIndex = visible.push(one) - 1
      const { id } = one.unit
      const isExpanded = expanded.has(id)
      rows.push({ kind: 'unit', key: id, shown: one, unitIndex, isExpanded })
      if (!isExpanded) continue
      for (let plan = 1; plan < planCount(id); plan += 1)
        rows.push({ kind: 'plan', key: `${id} ${plan}`, shown: one, unitIndex, plan })
      rows.push({ kind: 'stay', key: `${id} stay`, shown: one, unitIndex })
    }
  }
  return { rows, visible }
}
