import type { VirtualItem } from '@tanstack/react-virtual'

import { ChevronDown, ChevronRight } from '../../components/icons.tsx'
import { StateIcon } from '../../components/state-badge.tsx'
import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import type { Bar } from './bars.ts'
import { BookingBar } from './booking-bar.tsx'
import { boxOf, isStacked } from './grid-layout.ts'
import type { GridLayout } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import { daysPerWeek } from './nights.ts'
import type { CalendarRow } from './rows.ts'
import type { Rectangle } from './selection.ts'
import { worstState } from './sync-marks.ts'
import type { SyncMarks } from './sync-marks.ts'
import { tileStart } from './use-calendar.ts'
import type { CalendarData } from './use-calendar.ts'
import { WeekCells } from './week-cells.tsx'
import styles from './calendar-grid.module.css'

interface GridRowProps {
  row: CalendarRow
  index: number
  top: number
  height: number
  weeks: readonly VirtualItem[]
  firstDay: number
  today: number
  layout: GridLayout
  data: CalendarData
  selected: Rectangle | null
  activeDay: number
  openBar: string | null
  statuses: Statuses
  marks: SyncMarks
  onOpenBar: (bar: Bar) => void
  onFold: (row: CalendarRow) => void
}

export const GridRow = (props: GridRowProps) => {
  const { row, index, top, height, onFold } = props
  const text = useMessages(calendarMessages)
  const place = { style: { top, height }, role: 'row', 'aria-rowindex': index + 2 }
  const { nameWidth } = props.layout
  if (row.kind === 'space') {
    const { name } = row.space
    return (
      <div {...place} className={`${styles.row} ${styles.spaceRow}`}>
        <div role="rowheader" className={styles.name} style={{ width: nameWidth }}>
          <button
            type="button"
            className={styles.fold}
            aria-expanded={!row.isCollapsed}
            aria-label={text(row.isCollapsed ? 'expand' : 'collapse', { space: name })}
            onClick={() => onFold(row)}
          >
            {row.isCollapsed ? <ChevronRight /> : <ChevronDown />}
          </button>
          <span className={styles.unitName}>{name}</span>
        </div>
      </div>
    )
  }
  return (
    <div
      {...place}
      className={styles.row}
      data-row={row.kind}
      data-stacked={
        (row.kind === 'unit' && isStacked(row.shown.unit.quantity, props.data.barsOf(row.shown.unit.id))) ||
        undefined
      }
    >
      <div
        role="rowheader"
        className={row.kind === 'unit' ? styles.name : `${styles.name} ${styles.subName}`}
        style={{ width: nameWidth }}
      >
        {row.kind === 'unit' && <UnitName {...props} row={row} />}
        {row.kind === 'plan' && (
          <span className={styles.unitName}>{text('planNumber', { number: row.plan + 1 })}</span>
        )}
        {row.kind === 'stay' && <span className={styles.unitName}>{text('restrictions')}</span>}
      </div>
      <Nights {...props} row={row} />
      {row.kind === 'unit' && <Bars {...props} row={row} />}
    </div>
  )
}

type UnitRowProps<Kind> = GridRowProps & { row: Extract<CalendarRow, { kind: Kind }> }

const UnitName = ({ row, statuses, onFold }: UnitRowProps<'unit'>) => {
  const text = useMessages(calendarMessages)
  const { unit } = row.shown
  return (
    <>
      <span className={styles.unitName} title={unit.name}>
        {unit.name}
      </span>
      <StateIcon state={worstState(row.shown, statuses)} />
      <button
        type="button"
        className={styles.fold}
        aria-expanded={row.isExpanded}
        aria-label={text(row.isExpanded ? 'hidePlans' : 'showPlans', { unit: unit.name })}
        onClick={() => onFold(row)}
      >
        {row.isExpanded ? <ChevronDown /> : <ChevronRight />}
      </button>
    </>
  )
}

const Nights = ({ row, ...props }: UnitRowProps<'unit' | 'plan' | 'stay'>) => {
  const { weeks, firstDay, layout, data, selected, statuses, marks } = props
  const { unit } = row.shown
  const { unitIndex } = row
  const isSelected = selected && unitIndex >= selected.firstUnit && unitIndex <= selected.lastUnit
  const marked = row.kind === 'unit' ? marks(row.shown, statuses) : null
  const isWithin = (from: number, to: number, monday: number) => from < monday + daysPerWeek && to >= monday
  return weeks.map(({ index, start, key }) => {
    const monday = firstDay + index * daysPerWeek
    const tile = data.tileOf(unit.id, monday)
    const hasSelection = isSelected && isWithin(selected.from, selected.to, monday)
    const hasMark = marked && isWithin(marked.from, marked.to, monday)
    const isActive = props.activeDay >= monday && props.activeDay < monday + daysPerWeek
    return (
      <WeekCells
        key={key}
        unitId={row.kind === 'plan' ? `${unit.id}-${row.plan}` : unit.id}
        unitIndex={unitIndex}
        unitName={unit.name}
        quantity={unit.quantity}
        currency={unit.currency}
        monday={monday}
        column={index * daysPerWeek}
        left={start}
        cellWidth={layout.cellWidth}
        today={props.today}
        nights={row.kind === 'plan' ? tile?.plans[row.plan]?.nights : tile?.nights}
        offset={monday - tileStart(monday)}
        content={row.kind === 'stay' ? 'stay' : 'price'}
        selectedFrom={hasSelection ? selected.from : -1}
        selectedTo={hasSelection ? selected.to : -1}
        activeDay={isActive ? props.activeDay : -1}
        markedFrom={hasMark ? marked.from : -1}
        markedTo={hasMark ? marked.to : -1}
        mark={hasMark ? marked.mark : null}
      />
    )
  })
}

const Bars = ({ row, weeks, firstDay, layout, data, openBar, onOpenBar }: UnitRowProps<'unit'>) => {
  const { unit } = row.shown
  const bars = data.barsOf(unit.id)
  const stacked = isStacked(unit.quantity, bars)
  const from = firstDay + (weeks[0]?.index ?? 0) * daysPerWeek
  const to = firstDay + ((weeks.at(-1)?.index ?? 0) + 1) * daysPerWeek
  return bars
    .filter((bar) => bar.to >= from && bar.from <= to)
    .map((bar) => (
      <BookingBar
        key={bar.id}
        bar={bar}
        {...boxOf(bar, firstDay, stacked, layout)}
        isOpen={openBar === bar.id}
        onOpen={onOpenBar}
      />
    ))
}
