import { useEffect, useRef } from 'react'
import type { KeyboardEvent, PointerEvent, RefObject } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'

import { useMessages } from '../../i18n/language.tsx'
import type { Statuses } from '../../live/sync-state.ts'
import type { Bar } from './bars.ts'
import { DayHeaders } from './day-headers.tsx'
import { firstDayOf, heightOf, weekCount } from './grid-layout.ts'
import type { GridLayout } from './grid-layout.ts'
import { GridRow } from './grid-row.tsx'
import { calendarMessages } from './messages.ts'
import { daysPerWeek } from './nights.ts'
import type { CalendarRow } from './rows.ts'
import { moveSelection, rectangleOf } from './selection.ts'
import type { Selection } from './selection.ts'
import type { SyncMarks } from './sync-marks.ts'
import type { CalendarData } from './use-calendar.ts'
import styles from './calendar-grid.module.css'

export interface VisibleRange {
  firstUnit: number
  lastUnit: number
  from: number
  to: number
}

interface CalendarGridProps {
  rows: readonly CalendarRow[]
  unitCount: number
  data: CalendarData
  layout: GridLayout
  today: number
  /** The day at the left edge when the calendar opens or jumps. */
  startDay: number
  selection: Selection | null
  openBar: string | null
  statuses: Statuses
  marks: SyncMarks
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (selection: Selection | null) => void
  onEdit: () => void
  onOpenBar: (bar: Bar) => void
  onFold: (row: CalendarRow) => void
  onVisible: (range: VisibleRange) => void
}

/** Units × nights; only the visible rows and weeks are in the document. */
export const CalendarGrid = (props: CalendarGridProps) => {
  const { rows, data, layout, today, startDay, selection, scroller, onSelect, onVisible } = props
  const { nameWidth, cellWidth, headerHeight } = layout
  const text = useMessages(calendarMessages)
  const firstDay = firstDayOf(today)
  const isDragging = useRef(false)

  const barsOf = (row: CalendarRow | undefined) =>
    row?.kind === 'unit' ? data.barsOf(row.shown.unit.id) : []
  const vertical = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index]
      return row ? heightOf(row, barsOf(row), layout) : 0
    },
    getItemKey: (index) => rows[index]?.key ?? index,
    scrollMargin: headerHeight,
    overscan: 1,
  })
  const horizontal = useVirtualizer({
    horizontal: true,
    count: weekCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => cellWidth * daysPerWeek,
    scrollMargin: nameWidth,
    initialOffset: (startDay - firstDay) * cellWidth,
    overscan: 0,
  })
  useEffect(() => {
    vertical.measure()
    horizontal.measure()
  }, [rows, data, layout])
  useEffect(() => {
    scroller.current?.scrollTo({ left: (startDay - firstDay) * cellWidth })
  }, [startDay, cellWidth])

  const items = vertical.getVirtualItems()
  const weeks = horizontal.getVirtualItems()
  const unitIndexes = items.flatMap(({ index }) => {
    const row = rows[index]
    return row && row.kind !== 'space' ? [row.unitIndex] : []
  })
  const range = {
    firstUnit: unitIndexes[0] ?? 0,
    lastUnit: unitIndexes.at(-1) ?? 0,
    from: firstDay + (weeks[0]?.index ?? 0) * daysPerWeek,
    to: firstDay + ((weeks.at(-1)?.index ?? 0) + 1) * daysPerWeek - 1,
  }
  useEffect(() => onVisible(range), [range.firstUnit, range.lastUnit, range.from, range.to])

  /** Scrolls until the cell that the keyboard moved to is in view. */
  const reveal = ({ head }: Selection) => {
    const element = scroller.current
    if (!element) return
    const index = rows.findIndex((row) => row.kind === 'unit' && row.unitIndex === head.unit)
    vertical.scrollToIndex(index, { align: 'auto' })
    const left = (head.day - firstDay) * cellWidth
    const width = element.clientWidth - nameWidth
    if (left < element.scrollLeft) element.scrollLeft = left
    else if (left + cellWidth > element.scrollLeft + width) element.scrollLeft = left + cellWidth - width
  }

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Escape') return onSelect(null)
    if (event.key === 'Enter' && selection) {
      event.preventDefault()
      return props.onEdit()
    }
    const current = selection ?? {
      anchor: { unit: range.firstUnit, day: today },
      head: { unit: range.firstUnit, day: today },
    }
    const bounds = { units: props.unitCount, from: firstDay, to: firstDay + weekCount * daysPerWeek - 1 }
    const moved = moveSelection(current, event.key, event.shiftKey, bounds)
    if (!moved) return
    event.preventDefault()
    const next = selection ? moved : current
    onSelect(next)
    reveal(next)
  }

  const start = (event: PointerEvent) => {
    const cell = positionOf(event.target)
    if (!cell || event.button !== 0) return
    isDragging.current = true
    onSelect({ anchor: event.shiftKey && selection ? selection.anchor : cell, head: cell })
  }
  const extend = (event: PointerEvent) => {
    if (!isDragging.current || !selection) return
    if (event.buttons === 0) isDragging.current = false
    const head = positionOf(document.elementFromPoint(event.clientX, event.clientY))
    const { anchor, head: last } = selection
    if (isDragging.current && head && (head.day !== last.day || head.unit !== last.unit))
      onSelect({ anchor, head })
  }

  const finish = () => {
    if (isDragging.current) props.onEdit()
    isDragging.current = false
  }

  const selected = selection && rectangleOf(selection)
  const head = selection?.head
  const activeRow = items
    .map(({ index }) => rows[index])
    .find((row) => row?.kind === 'unit' && row.unitIndex === head?.unit)
  // Only a cell that is in the document may be named as active.
  const activeCell =
    head && activeRow?.kind === 'unit' && head.day >= range.from && head.day <= range.to
      ? `price-${activeRow.shown.unit.id}-${head.day}`
      : undefined
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={text('grid')}
      aria-description={text('help')}
      aria-rowcount={rows.length + 1}
      aria-colcount={weekCount * daysPerWeek + 1}
      aria-multiselectable="true"
      aria-activedescendant={activeCell}
      className={styles.scroll}
      style={{ '--name-width': `${nameWidth}px` } as React.CSSProperties}
      onKeyDown={press}
      onPointerDown={start}
      onPointerMove={extend}
      onPointerUp={finish}
    >
      <div
        role="rowgroup"
        className={styles.inner}
        style={{
          width: nameWidth + horizontal.getTotalSize(),
          height: headerHeight + vertical.getTotalSize(),
        }}
      >
        <DayHeaders weeks={weeks} firstDay={firstDay} today={today} layout={layout} />
        {items.map(({ index, key, start: top, size }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <GridRow
              key={key}
              row={row}
              index={index}
              top={top}
              height={size}
              weeks={weeks}
              firstDay={firstDay}
              today={today}
              layout={layout}
              data={data}
              selected={selected}
              activeDay={
                selection && row.kind === 'unit' && row.unitIndex === selection.head.unit
                  ? selection.head.day
                  : -1
              }
              openBar={props.openBar}
              statuses={props.statuses}
              marks={props.marks}
              onOpenBar={props.onOpenBar}
              onFold={props.onFold}
            />
          )
        })}
      </div>
    </div>
  )
}

const positionOf = (target: EventTarget | null) => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-unit-index][data-day]') : null
  return cell && { unit: Number(cell.dataset.unitIndex), day: Number(cell.dataset.day) }
}
