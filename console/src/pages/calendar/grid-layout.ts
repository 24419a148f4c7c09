import type { Bar } from './bars.ts'
import type { Density } from './filter.ts'
import { daysPerWeek, mondayOf } from './nights.ts'
import type { CalendarRow } from './rows.ts'

/** Widths and heights of the calendar, in pixels. */
export interface GridLayout {
  nameWidth: number
  cellWidth: number
  rowHeight: number
  headerHeight: number
}

const pastWeeks = 8
const futureWeeks = 104
export const weekCount = pastWeeks + futureWeeks

/** The Monday with which the calendar begins. */
export const firstDayOf = (today: number): number => mondayOf(today) - pastWeeks * daysPerWeek

export const layoutOf = (density: Density, isNarrow: boolean): GridLayout => ({
  nameWidth: isNarrow ? 132 : 212,
  cellWidth: density === 'compact' ? 46 : 58,
  rowHeight: density === 'compact' ? 29 : 38,
  headerHeight: 54,
})

const spaceHeight = 30
const laneHeight = 22

/** Units of several rooms, and stays that overlap, show their bars below each other and the price beneath. */
export const isStacked = (quantity: number, bars: readonly Bar[]): boolean =>
  quantity > 1 || bars.some(({ lane }) => lane > 0)

const maxLanes = 4

export const laneCount = (bars: readonly Bar[]): number =>
  Math.min(maxLanes, Math.max(0, ...bars.map(({ lane }) => lane + 1)))

export const heightOf = (row: CalendarRow, bars: readonly Bar[], { rowHeight }: GridLayout): number => {
  if (row.kind === 'space') return spaceHeight
  if (row.kind !== 'unit' || !isStacked(row.shown.unit.quantity, bars)) return rowHeight
  return Math.max(rowHeight, laneCount(bars) * laneHeight + 24)
}

/** Where a bar lies: half a cell after its arrival to half a cell after its departure, with a gap to its neighbour. */
export const boxOf = (bar: Bar, firstDay: number, isStackedRow: boolean, layout: GridLayout) => {
  const { nameWidth, cellWidth, rowHeight } = layout
  const height = isStackedRow ? laneHeight - 3 : rowHeight - 10
  return {
    left: nameWidth + (bar.from - firstDay + 0.5) * cellWidth + 1.5,
    width: Math.max((bar.to - bar.from) * cellWidth - 3, 10),
    top: isStackedRow ? 3 + Math.min(bar.lane, maxLanes - 1) * laneHeight : 4.5,
    height,
  }
}
