import type { Bar, Block } from './bars.ts'
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

const pastWeeks = 52
const futureWeeks = 260
export const weekCount = pastWeeks + futureWeeks

/** The Monday with which the calendar begins. */
export const firstDayOf = (today: number): number => mondayOf(today) - pastWeeks * daysPerWeek

export const layoutOf = (density: Density, isNarrow: boolean): GridLayout => ({
  nameWidth: isNarrow ? 156 : 208,
  cellWidth: density === 'compact' ? 48 : 60,
  rowHeight: density === 'compact' ? 30 : 40,
  headerHeight: 54,
})

const spaceHeight = 30
const subRowHeight = 27
const laneHeight = 22

/**
 * Whether bars lie below each other: stays of one room that overlap, which must not happen, and the rooms of a unit of
 * several when it is unfolded. Folded, such a unit shows how many rooms are taken.
 */
export const hasLanes = (quantity: number, isExpanded: boolean, bars: readonly Bar[]): boolean =>
  quantity > 1 ? isExpanded : bars.some(({ lane }) => lane > 0)

const laneCount = (bars: readonly Bar[]): number => Math.max(1, ...bars.map(({ lane }) => lane + 1))

export const heightOf = (
  row: CalendarRow,
  { bars }: { bars: readonly Bar[] },
  { rowHeight }: GridLayout,
): number => {
  if (row.kind === 'space') return spaceHeight
  if (row.kind !== 'unit') return subRowHeight
  const { quantity } = row.unit
  if (!hasLanes(quantity, row.isExpanded, bars)) return rowHeight
  return Math.max(rowHeight, laneCount(bars) * laneHeight + (quantity > 1 ? 36 : 6))
}

/** Guests come in the afternoon and leave before noon: a bar begins after the middle of its day and ends before it. */
export const arrivalPart = 0.56
export const departurePart = 0.22

export const boxOf = (
  { from, to, lane }: Pick<Bar, 'from' | 'to' | 'lane'>,
  firstDay: number,
  isInLanes: boolean,
  { nameWidth, cellWidth, rowHeight }: GridLayout,
) => ({
  left: nameWidth + (from - firstDay + arrivalPart) * cellWidth,
  width: (to - from + departurePart - arrivalPart) * cellWidth,
  top: isInLanes ? 3 + lane * laneHeight : 5,
  height: isInLanes ? laneHeight - 2 : rowHeight - 11,
})

/** A block takes whole nights. */
export const blockBoxOf = (
  { from, to }: Block,
  firstDay: number,
  { nameWidth, cellWidth, rowHeight }: GridLayout,
) => ({
  left: nameWidth + (from - firstDay) * cellWidth,
  width: (to - from + 1) * cellWidth,
  top: 0,
  height: rowHeight - 1,
})
