import type { SelectedNights } from './change-draft.ts'
import type { CalendarUnit } from './rows.ts'

/** A cell of the calendar: a unit by its position among the shown ones, and a night. */
export interface CellPosition {
  unit: number
  day: number
}

/** A rectangle of nights over several units, from where it began to where it was extended. */
export interface Selection {
  anchor: CellPosition
  head: CellPosition
  /** The rate plan in whose row it began, if that is not the default one. */
  planId?: string
}

export interface Rectangle {
  firstUnit: number
  lastUnit: number
  from: number
  to: number
}

export const rectangleOf = ({ anchor, head }: Selection): Rectangle => ({
  firstUnit: Math.min(anchor.unit, head.unit),
  lastUnit: Math.max(anchor.unit, head.unit),
  from: Math.min(anchor.day, head.day),
  to: Math.max(anchor.day, head.day),
})

const steps: Record<string, CellPosition> = {
  ArrowLeft: { unit: 0, day: -1 },
  ArrowRight: { unit: 0, day: 1 },
  ArrowUp: { unit: -1, day: 0 },
  ArrowDown: { unit: 1, day: 0 },
  PageUp: { unit: 0, day: -28 },
  PageDown: { unit: 0, day: 28 },
}

interface Bounds {
  units: number
  from: number
  to: number
}

interface Key {
  key: string
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

/** The selection after a key, or null when the key does not move it: arrows move, Shift extends, Ctrl goes to the last unit. */
export const moveSelection = (selection: Selection, key: Key, bounds: Bounds): Selection | null => {
  const step = steps[key.key]
  if (!step) return null
  const stride = key.ctrlKey || key.metaKey ? bounds.units : 1
  const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)
  const head = {
    unit: clamp(selection.head.unit + step.unit * stride, 0, bounds.units - 1),
    day: clamp(selection.head.day + step.day, bounds.from, bounds.to),
  }
  return { anchor: key.shiftKey ? selection.anchor : head, head }
}

/** The same nights of another rate plan; without one, of the default plan. */
export const withPlan = ({ anchor, head }: Selection, planId: string | undefined): Selection => ({
  anchor,
  head,
  ...(planId && { planId }),
})

/** The same nights of the same units after the list of units has changed; null when they are no longer side by side. */
export const followUnits = (
  selection: Selection,
  before: readonly CalendarUnit[],
  now: readonly CalendarUnit[],
): Selection | null => {
  const idsOf = (units: readonly CalendarUnit[], { firstUnit, lastUnit }: Rectangle) =>
    units.slice(firstUnit, lastUnit + 1).map(({ id }) => id)
  const rectangle = rectangleOf(selection)
  const ids = idsOf(before, rectangle)
  const firstUnit = now.findIndex(({ id }) => id === ids[0])
  const by = firstUnit - rectangle.firstUnit
  const there = idsOf(now, { ...rectangle, firstUnit, lastUnit: rectangle.lastUnit + by })
  if (firstUnit < 0 || there.join() !== ids.join()) return null
  if (by === 0) return selection
  const move = (cell: CellPosition) => ({ ...cell, unit: cell.unit + by })
  return { ...selection, anchor: move(selection.anchor), head: move(selection.head) }
}

/** The units and nights of a selection. */
export const selectedNights = (selection: Selection, shown: readonly CalendarUnit[]): SelectedNights => {
  const { firstUnit, lastUnit, from, to } = rectangleOf(selection)
  return { units: shown.slice(firstUnit, lastUnit + 1), from, to, planId: selection.planId }
}
