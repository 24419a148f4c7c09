import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { boxOf } from './grid-layout.ts'
import type { GridLayout } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import type { MoveTarget } from './move-booking.ts'
import { describeNight } from './night-cells.tsx'
import { dateOf } from './nights.ts'
import type { CalendarRow, CalendarUnit } from './rows.ts'
import { rectangleOf } from './selection.ts'
import type { Selection } from './selection.ts'
import type { CalendarData } from './use-calendar.ts'
import barStyles from './booking-bar.module.css'
import styles from './calendar-grid.module.css'

interface Geometry {
  /** The row of a unit, by the position of the unit. */
  indexByUnit: ReadonlyMap<number, number>
  topOf: (index: number) => { start: number; end: number; size: number } | undefined
  firstDay: number
  layout: GridLayout
}

interface SelectionBoxProps extends Geometry {
  selection: Selection
  rows: readonly CalendarRow[]
}

/** The selected rectangle, over the cells. */
export const SelectionBox = ({
  selection,
  rows,
  indexByUnit,
  topOf,
  firstDay,
  layout,
}: SelectionBoxProps) => {
  const { firstUnit, lastUnit, from, to } = rectangleOf(selection)
  const plan = rows.findIndex((row) => row.kind === 'plan' && row.planId === selection.planId)
  const first = topOf(plan < 0 ? (indexByUnit.get(firstUnit) ?? -1) : plan)
  const last = topOf(plan < 0 ? (indexByUnit.get(lastUnit) ?? -1) : plan)
  if (!first || !last) return null
  return (
    <div
      role="none"
      className={styles.selection}
      style={{
        left: layout.nameWidth + (from - firstDay) * layout.cellWidth,
        width: (to - from + 1) * layout.cellWidth,
        top: first.start,
        height: last.end - first.start,
      }}
    />
  )
}

interface ActiveCellProps extends Geometry {
  selection: Selection
  units: readonly CalendarUnit[]
  nightOf: CalendarData['nightOf']
}

/** The night that the keyboard is at, with everything that is known of it: screen readers read this cell. */
export const ActiveCell = ({
  selection,
  units,
  nightOf,
  indexByUnit,
  topOf,
  firstDay,
  layout,
}: ActiveCellProps) => {
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const { unit: position, day } = selection.head
  const unit = units[position]
  const index = indexByUnit.get(position)
  const place = index === undefined ? undefined : topOf(index)
  if (!unit || !place || index === undefined) return null
  const night = nightOf(unit.id, day)
  const cents = night?.priceCents ?? null
  const label = [
    unit.name,
    format.shortDate(dateOf(day)),
    cents === null ? '' : format.money(cents, unit.currency),
    night && describeNight(night, unit.quantity, text),
  ]
  return (
    <div role="row" aria-rowindex={index + 2}>
      <div
        role="gridcell"
        id="active-night"
        className={styles.active}
        aria-colindex={day - firstDay + 2}
        aria-selected="true"
        aria-label={label.filter(Boolean).join(', ')}
        style={{
          left: layout.nameWidth + (day - firstDay) * layout.cellWidth,
          width: layout.cellWidth,
          top: place.start,
          height: place.size,
        }}
      />
    </div>
  )
}

/** Where a booking would be if it were let go, and why it would not be accepted there. */
export const DragGhost = ({
  drag,
  indexByUnit,
  topOf,
  firstDay,
  layout,
}: Geometry & { drag: MoveTarget }) => {
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const place = topOf(indexByUnit.get(drag.unitIndex) ?? -1)
  if (!place) return null
  const to = drag.from + drag.bar.to - drag.bar.from
  const box = boxOf({ from: drag.from, to, lane: 0 }, firstDay, false, layout)
  const dates = text('dates', { from: format.shortDate(dateOf(drag.from)), to: format.shortDate(dateOf(to)) })
  return (
    <div role="none">
      <div
        className={`${barStyles.bar} ${barStyles.ghost}`}
        style={{ ...box, top: place.start + box.top }}
        data-refused={drag.refusal !== null || undefined}
      >
        <span>{drag.bar.guestName || text('anonymous')}</span>
      </div>
      <div
        className={barStyles.ghostNote}
        role="status"
        style={{ left: Math.max(box.left, layout.nameWidth), top: place.start + box.top + box.height + 5 }}
      >
        {drag.refusal ?? `${dates} · ${drag.unit.name}`}
      </div>
    </div>
  )
}
