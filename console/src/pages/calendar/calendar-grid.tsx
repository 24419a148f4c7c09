import { useEffect, useMemo, useRef, useState } from 'react'
import type { CSSProperties, KeyboardEvent, MouseEvent, RefObject } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'

import { useLanguage, useMessages } from '../../i18n/language.tsx'
import { ActiveCell, DragGhost, SelectionBox } from './grid-overlays.tsx'
import { DayHeaders } from './day-headers.tsx'
import { firstDayOf, heightOf, weekCount } from './grid-layout.ts'
import type { GridLayout } from './grid-layout.ts'
import { useGridPointer } from './grid-pointer.ts'
import { GridRow } from './grid-row.tsx'
import { calendarMessages } from './messages.ts'
import type { MoveDrag } from './move-booking.ts'
import { daysPerWeek, mondayOf, weekendOf, weeksOf } from './nights.ts'
import type { CalendarRow, CalendarUnit } from './rows.ts'
import { moveSelection } from './selection.ts'
import type { Selection } from './selection.ts'
import type { ChangedNights } from './sync-marks.ts'
import { nightsPerTile, tileStart, unitsPerTile } from './tile.ts'
import type { CalendarData, Needed } from './use-calendar.ts'
import styles from './calendar-grid.module.css'

interface CalendarGridProps {
  rows: readonly CalendarRow[]
  /** The units of the rows, in their order. */
  units: readonly CalendarUnit[]
  /** Where a unit stands in the list whose pieces are read. */
  positionOf: (unitId: string) => number
  data: CalendarData
  layout: GridLayout
  today: number
  /** The day at the left edge when the calendar opens or jumps. */
  startDay: number
  selection: Selection | null
  changed: ChangedNights | null
  openBar: string | null
  /** Whether a panel beside the calendar takes some of its width. */
  isPanelOpen: boolean
  drag: MoveDrag
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (selection: Selection | null) => void
  onEdit: () => void
  onOpenBar: (unitId: string, barId: string) => void
  onFold: (row: CalendarRow) => void
  onNeeded: (needed: Needed) => void
}

/** Units × nights; only the visible rows and nights are in the document. */
export const CalendarGrid = (props: CalendarGridProps) => {
  const { rows, units, data, layout, today, startDay, selection, scroller, onSelect, drag } = props
  const { nameWidth, cellWidth, headerHeight } = layout
  const text = useMessages(calendarMessages)
  const { locale } = useLanguage()
  // It stays when another week begins, or all nights would move under the pointer.
  const [firstDay] = useState(() => firstDayOf(today))
  const wasDragged = useRef(false)
  const lastBar = useRef<string | null>(null)

  const vertical = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index]
      return row ? heightOf(row, data.of(row.kind === 'space' ? '' : row.unit.id), layout) : 0
    },
    getItemKey: (index) => rows[index]?.key ?? index,
    scrollMargin: headerHeight,
    overscan: 1,
  })
  const horizontal = useVirtualizer({
    horizontal: true,
    count: weekCount * daysPerWeek,
    getScrollElement: () => scroller.current,
    estimateSize: () => cellWidth,
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
  const columns = horizontal.getVirtualItems()
  const from = firstDay + (columns[0]?.index ?? 0)
  // The names cover the left of the calendar, so that fewer columns fit in it than in its element.
  const to = Math.max(from, firstDay + (columns.at(-1)?.index ?? 0) - Math.floor(nameWidth / cellWidth))
  const weeks = useMemo(() => weeksOf(from, to), [mondayOf(from), mondayOf(to)])
  const shownIds = items.flatMap(({ index }) => {
    const row = rows[index]
    return row && row.kind !== 'space' ? [row.unit.id] : []
  })
  const pieces = [...new Set(shownIds.map((id) => Math.floor(props.positionOf(id) / unitsPerTile)))]
  const starts: number[] = []
  for (let day = tileStart(from); day <= to; day += nightsPerTile) starts.push(day)
  useEffect(() => {
    if (pieces.length > 0) props.onNeeded({ pieces, starts })
  }, [pieces.join(), starts.join()])

  const indexByUnit = useMemo(
    () =>
      new Map(rows.flatMap((row, index) => (row.kind === 'unit' ? [[row.unitIndex, index] as const] : []))),
    [rows],
  )
  const topOf = (index: number) => vertical.measurementsCache[index]

  /** Scrolls until the cell that the keyboard moved to is in view. */
  const reveal = ({ head }: Selection) => {
    const element = scroller.current
    if (!element) return
    vertical.scrollToIndex(indexByUnit.get(head.unit) ?? 0, { align: 'auto' })
    const left = (head.day - firstDay) * cellWidth
    const width = element.clientWidth - nameWidth
    if (left < element.scrollLeft) element.scrollLeft = left
    else if (left + cellWidth > element.scrollLeft + width) element.scrollLeft = left + cellWidth - width
  }

  // A panel that opens must not hide what it is about.
  useEffect(() => {
    if (props.isPanelOpen && selection) reveal(selection)
  }, [props.isPanelOpen])

  /** Opens the booking of the night; of several on it, the one after that which was opened last. */
  const openBarAt = ({ head }: Selection) => {
    const unit = units[head.unit]
    if (!unit) return
    const bars = data.of(unit.id).bars.filter(({ from, to }) => from <= head.day && head.day < to)
    const bar = bars[bars.findIndex(({ id }) => id === lastBar.current) + 1] ?? bars[0]
    if (!bar) return
    lastBar.current = bar.id
    props.onOpenBar(unit.id, bar.id)
  }

  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && drag.now) return drag.cancel()
    if (event.target !== event.currentTarget) return
    if (event.key === 'Escape') return onSelect(null)
    if (event.key === 'Enter' && selection) {
      event.preventDefault()
      return props.onEdit()
    }
    if (event.key.toLowerCase() === 'b' && selection && !event.ctrlKey && !event.metaKey)
      return openBarAt(selection)
    const firstUnit = rows[items.find(({ index }) => rows[index]?.kind === 'unit')?.index ?? 0]
    const start = {
      unit: firstUnit?.kind === 'unit' ? firstUnit.unitIndex : 0,
      day: Math.max(today, startDay),
    }
    const current = selection ?? { anchor: start, head: start }
    const bounds = { units: units.length, from: firstDay, to: firstDay + weekCount * daysPerWeek - 1 }
    const moved = moveSelection(current, event, bounds)
    if (!moved) return
    event.preventDefault()
    const next = selection ? moved : current
    onSelect(next)
    reveal(next)
  }

  const pointer = useGridPointer({
    scroller,
    vertical,
    rows,
    unitCount: units.length,
    firstDay,
    layout,
    selection,
    onSelect,
    onSelected: props.onEdit,
    onDragStart: (id) => {
      wasDragged.current = drag.start(id)
      return wasDragged.current
    },
    onDrag: drag.over,
    onDrop: drag.drop,
    onCancel: drag.cancel,
  })

  /** A click opens a bar, or with a finger selects a night. */
  const click = (event: MouseEvent) => {
    const target = event.target as Element
    if (wasDragged.current) {
      wasDragged.current = false
      return
    }
    const bar = target.closest<HTMLElement>('[data-bar]')
    const cell = pointer.cellAt(event.clientX, event.clientY)
    if (!cell?.row || cell.row.kind === 'space' || target.closest('[role="rowheader"]')) return
    if (bar?.dataset.bar) return props.onOpenBar(cell.row.unit.id, bar.dataset.bar)
    if ((event.nativeEvent as globalThis.PointerEvent).pointerType !== 'touch') return
    const head = { unit: cell.row.unitIndex, day: cell.day }
    onSelect({ anchor: head, head })
    props.onEdit()
  }

  const width = nameWidth + weekCount * daysPerWeek * cellWidth
  const style = {
    '--cell': `${cellWidth}px`,
    '--name-width': `${nameWidth}px`,
    '--weekend': weekendStripes(weekendOf(locale)),
    width,
    height: headerHeight + vertical.getTotalSize(),
  } as CSSProperties

  return (
    <div
      ref={scroller}
      className={styles.scroll}
      role="grid"
      tabIndex={0}
      aria-label={`${text('grid')}. ${text('help')}`}
      aria-rowcount={rows.length + 1}
      aria-colcount={weekCount * daysPerWeek + 1}
      aria-multiselectable="true"
      aria-activedescendant={selection ? 'active-night' : undefined}
      onKeyDown={press}
      onClick={click}
      {...pointer.handlers}
    >
      <div className={styles.inner} role="none" style={style}>
        <DayHeaders weeks={weeks} firstDay={firstDay} today={today} layout={layout} />
        <div
          className={styles.today}
          role="none"
          style={{ left: nameWidth + (today - firstDay) * cellWidth, width: cellWidth }}
        />
        {items.map(({ index, start, size, key }) => {
          const row = rows[index]
          if (!row) return null
          const unitId = row.kind === 'space' ? '' : row.unit.id
          return (
            <GridRow
              key={key}
              row={row}
              index={index}
              top={start}
              height={size}
              weeks={weeks}
              from={from}
              to={to}
              firstDay={firstDay}
              today={today}
              layout={layout}
              data={data.of(unitId)}
              changed={props.changed?.unitIds.has(unitId) ? props.changed : null}
              openBar={props.openBar}
              onFold={props.onFold}
            />
          )
        })}
        {selection && (
          <>
            <SelectionBox {...{ selection, rows, indexByUnit, topOf, firstDay, layout }} />
            <ActiveCell
              {...{ selection, units, indexByUnit, topOf, firstDay, layout }}
              nightOf={data.nightOf}
            />
          </>
        )}
        {drag.now && <DragGhost drag={drag.now} {...{ indexByUnit, topOf, firstDay, layout }} />}
      </div>
    </div>
  )
}

/** Weekends as a background that repeats each week, instead of an element for each night. */
const weekendStripes = (days: readonly number[]) => {
  const stops = days.flatMap((day) => {
    const [from, to] = [`calc(${day} * var(--cell))`, `calc(${day + 1} * var(--cell))`]
    return [`transparent ${from}`, `var(--sunk) ${from}`, `var(--sunk) ${to}`, `transparent ${to}`]
  })
  return `linear-gradient(to right, ${['transparent 0', ...stops].join(', ')})`
}
