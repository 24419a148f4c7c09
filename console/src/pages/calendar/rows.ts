import type { contract } from '@vacancy/client'

/** A unit as a line of the calendar. */
export interface CalendarUnit {
  id: string
  name: string
  status: contract.UnitCalendar['status']
  spaceId: string
  spaceName: string
  currency: string
  quantity: number
}

export const readUnit = (unit: contract.UnitCalendar): CalendarUnit => ({
  id: unit.unit_id,
  name: unit.name,
  status: unit.status,
  spaceId: unit.space_id,
  spaceName: unit.space_name,
  currency: unit.currency,
  quantity: unit.quantity,
})

/** A line of the calendar; `unitIndex` counts the visible units only, in the order in which they are shown. */
export type CalendarRow =
  | { kind: 'space'; key: string; name: string; unitCount: number; isCollapsed: boolean }
  | { kind: 'unit'; key: string; unit: CalendarUnit; unitIndex: number; isExpanded: boolean }
  | { kind: 'plan'; key: string; unit: CalendarUnit; unitIndex: number; planId: string }
  | { kind: 'stay' | 'closures'; key: string; unit: CalendarUnit; unitIndex: number }

interface Folding {
  /** Spaces whose units are hidden. */
  collapsed: ReadonlySet<string>
  /** Units whose plans and restrictions are shown. */
  expanded: ReadonlySet<string>
}

/** The units that are not hidden with their space, and all rows with them. */
export const buildRows = (
  units: readonly CalendarUnit[],
  { collapsed, expanded }: Folding,
  planIdsOf: (unitId: string) => readonly string[],
) => {
  const rows: CalendarRow[] = []
  const visible: CalendarUnit[] = []
  for (const [spaceId, own] of Map.groupBy(units, (unit) => unit.spaceId)) {
    const isCollapsed = collapsed.has(spaceId)
    rows.push({
      kind: 'space',
      key: spaceId,
      name: own[0]?.spaceName ?? '',
      unitCount: own.length,
      isCollapsed,
    })
    if (isCollapsed) continue
    for (const unit of own) {
      const unitIndex = visible.push(unit) - 1
      const { id } = unit
      const isExpanded = expanded.has(id)
      rows.push({ kind: 'unit', key: id, unit, unitIndex, isExpanded })
      if (!isExpanded) continue
      for (const planId of planIdsOf(id).slice(1))
        rows.push({ kind: 'plan', key: planId, unit, unitIndex, planId })
      rows.push({ kind: 'stay', key: `${id} stay`, unit, unitIndex })
      rows.push({ kind: 'closures', key: `${id} closures`, unit, unitIndex })
    }
  }
  return { rows, visible }
}
