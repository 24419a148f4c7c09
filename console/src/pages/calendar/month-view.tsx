import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { Button } from '@mantine/core'

import { ChevronLeft, ChevronRight } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import bars from './booking-bar.module.css'
import { arrivalPart, departurePart } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import { describeNight, exactPrice, longLength, stateOfNight } from './night-cells.tsx'
import { dateOf, daysPerWeek, dayOf, mondayOf } from './nights.ts'
import type { DraftForm } from './read-draft.ts'
import type { CalendarUnit } from './rows.ts'
import { rectangleOf } from './selection.ts'
import type { Selection } from './selection.ts'
import type { CalendarData } from './use-calendar.ts'
import styles from './month-view.module.css'

interface MonthViewProps {
  units: readonly CalendarUnit[]
  unitIndex: number
  data: CalendarData
  /** A day of the month that is shown. */
  day: number
  today: number
  selection: Selection | null
  /** The night that takes part in the Tab order. */
  entryNight: RefObject<HTMLButtonElement | null>
  onSelect: (selection: Selection | null) => void
  onUnit: (id: string) => void
  onJump: (day: number) => void
  onEdit: (initial: Partial<DraftForm>) => void
  onOpenBar: (unitId: string, barId: string) => void
}

/** One unit and one month, for a phone: the first tap begins a range of nights, the second ends it. */
export const MonthView = (props: MonthViewProps) => {
  const { units, unitIndex, data, day, today, selection, onSelect, onUnit, onJump } = props
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const date = dateOf(day)
  const first = dayOf(`${date.slice(0, 8)}01`)
  const next = dayOf(`${dateOf(first + 31).slice(0, 8)}01`)
  const monday = mondayOf(first)
  const mondays = Array.from({ length: Math.ceil((next - monday) / 7) }, (_, week) => monday + week * 7)
  const unit = units[unitIndex]
  const range = selection && rectangleOf(selection)

  // One night takes part in the Tab order, and the arrow keys go to the others.
  const nights = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState(day)
  const isMoving = useRef(false)
  const last = monday + mondays.length * daysPerWeek - 1
  const isShown = (at: number) => at >= monday && at <= last
  const entry = [focused, today].find(isShown) ?? first
  useLayoutEffect(() => {
    const night = nights.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`)
    if (!isMoving.current || !night) return
    isMoving.current = false
    night.focus()
  }, [focused, first])
  if (!unit) return null

  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onSelect(null)
    if (event.key.toLowerCase() === 'b' && !event.ctrlKey && !event.metaKey) {
      const bar = data.of(unit.id).bars.find(({ from, to }) => from <= entry && entry < to)
      return bar && props.onOpenBar(unit.id, bar.id)
    }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    isMoving.current = true
    setFocused(entry + step)
    if (!isShown(entry + step)) onJump(entry + step)
  }

  const tap = (at: number) => {
    const head = { unit: unitIndex, day: at }
    const isSecond = selection && selection.anchor.day === selection.head.day && at > selection.anchor.day
    onSelect({ anchor: isSecond ? { unit: unitIndex, day: selection.anchor.day } : head, head })
  }
  const step = (by: number) => {
    const other = units[unitIndex + by]
    if (other) onUnit(other.id)
  }

  return (
    <div className={styles.view}>
      <div className={styles.unit}>
        <button
          type="button"
          aria-label={text('previousUnit')}
          disabled={unitIndex === 0}
          onClick={() => step(-1)}
        >
          <ChevronLeft />
        </button>
        <select
          aria-label={text('unit')}
          value={unit.id}
          onChange={(event) => onUnit(event.currentTarget.value)}
        >
          {units.map(({ id, name, spaceName }) => (
            <option key={id} value={id}>
              {name} · {spaceName}
            </option>
          ))}
        </select>
        <button
          type="button"
          aria-label={text('nextUnit')}
          disabled={unitIndex === units.length - 1}
          onClick={() => step(1)}
        >
          <ChevronRight />
        </button>
      </div>
      <div className={styles.month}>
        <button type="button" aria-label={text('previousMonth')} onClick={() => onJump(first - 1)}>
          <ChevronLeft />
        </button>
        <h2>{format.month(date)}</h2>
        <button type="button" aria-label={text('nextMonth')} onClick={() => onJump(next)}>
          <ChevronRight />
        </button>
      </div>
      <div
        ref={nights}
        role="grid"
        aria-label={`${unit.name}, ${format.month(date)}. ${text('monthHelp')}`}
        aria-multiselectable="true"
        className={styles.days}
        onKeyDown={press}
      >
        {Array.from({ length: daysPerWeek }, (_, at) => (
          <span key={at} className={styles.weekday} aria-hidden="true">
            {format.weekday(dateOf(monday + at))}
          </span>
        ))}
        {mondays.map((start) => (
          <div key={start} role="row" className={styles.week}>
            {Array.from({ length: daysPerWeek }, (_, index) => {
              const at = start + index
              const night = data.nightOf(unit.id, at)
              const state = night && stateOfNight(night)
              const cents = night?.priceCents ?? null
              const isTaken = state === 'taken' || state === 'blocked'
              const price = cents === null || isTaken ? '' : format.nightPrice(cents, unit.currency)
              return (
                <button
                  key={at}
                  type="button"
                  ref={at === entry ? props.entryNight : undefined}
                  role="gridcell"
                  tabIndex={at === entry ? 0 : -1}
                  className={styles.day}
                  data-day={at}
                  data-outside={at < first || at >= next || undefined}
                  data-today={at === today || undefined}
                  data-state={state ?? 'loading'}
                  aria-selected={range !== null && at >= range.from && at <= range.to}
                  onFocus={() => setFocused(at)}
                  onClick={() => tap(at)}
                >
                  <span className="unseen">
                    {[
                      format.shortDate(dateOf(at)),
                      night && exactPrice(night, format, unit.currency),
                      night && describeNight(night, unit.quantity, text),
                    ]
                      .filter(Boolean)
                      .join(', ')}
                  </span>
                  <b aria-hidden="true">{Number(dateOf(at).slice(8))}</b>
                  <span data-long={longLength(price)}>{price}</span>
                </button>
              )
            })}
            <WeekBars {...props} unit={unit} start={start} />
          </div>
        ))}
      </div>
      {range && (
        <div className={styles.edit}>
          <p>
            {[...new Set([range.from, range.to])].map((at) => format.shortDate(dateOf(at))).join(' – ')} ·{' '}
            {text('nights', { nights: range.to - range.from + 1 })}
          </p>
          <Button size="md" onClick={() => props.onEdit({ priceKind: 'set' })}>
            {text('price')}
          </Button>
          <Button size="md" variant="default" onClick={() => props.onEdit({ block: 'block' })}>
            {text('block')}
          </Button>
        </div>
      )}
    </div>
  )
}

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -daysPerWeek,
  ArrowDown: daysPerWeek,
  PageUp: -4 * daysPerWeek,
  PageDown: 4 * daysPerWeek,
}

const maxLanes = 2

/** The stays of a week, over its days. */
const WeekBars = ({
  data,
  unit,
  start,
  onOpenBar,
}: MonthViewProps & { unit: CalendarUnit; start: number }) => {
  const text = useMessages(calendarMessages)
  if (unit.quantity > 1) return null
  return data
    .of(unit.id)
    .bars.filter(({ from, to }) => to > start && from < start + daysPerWeek)
    .map((bar) => {
      const from = Math.max(bar.from + arrivalPart, start)
      const to = Math.min(bar.to + departurePart, start + daysPerWeek)
      const guest = bar.guestName || text('anonymous')
      const label = `${text(bar.kind)}: ${text('openStay', { guest })}`
      return (
        <button
          key={bar.id}
          type="button"
          role="gridcell"
          tabIndex={-1}
          className={`${bars.bar} ${styles.bar}`}
          data-kind={bar.kind}
          data-bar={bar.id}
          data-lane={Math.min(bar.lane, maxLanes - 1)}
          aria-label={label}
          style={{
            left: `${((from - start) / daysPerWeek) * 100}%`,
            width: `${((to - from) / daysPerWeek) * 100}%`,
          }}
          onClick={() => onOpenBar(unit.id, bar.id)}
        >
          <span>{guest}</span>
        </button>
      )
    })
}
