import { Button } from '@mantine/core'

import { ChevronLeft, ChevronRight } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import { dateOf, dayOf, mondayOf } from './nights.ts'
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
  onSelect: (selection: Selection) => void
  onUnit: (id: string) => void
  onJump: (day: number) => void
  onEdit: () => void
}

/** One unit and one month, for a phone: the first tap begins a range of nights, the second ends it. */
export const MonthView = (props: MonthViewProps) => {
  const { units, unitIndex, data, day, today, selection, onSelect, onUnit, onJump, onEdit } = props
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const date = dateOf(day)
  const first = dayOf(`${date.slice(0, 8)}01`)
  const next = dayOf(`${dateOf(first + 31).slice(0, 8)}01`)
  const days = Array.from(
    { length: Math.ceil((next - mondayOf(first)) / 7) * 7 },
    (_, i) => mondayOf(first) + i,
  )
  const shown = units[unitIndex]
  const range = selection && rectangleOf(selection)
  if (!shown) return null
  const { unit } = shown
  const bars = data.barsOf(unit.id)

  const tap = (at: number) => {
    const head = { unit: unitIndex, day: at }
    const isSecond = selection && selection.anchor.day === selection.head.day && at > selection.anchor.day
    onSelect({ anchor: isSecond ? { unit: unitIndex, day: selection.anchor.day } : head, head })
  }

  return (
    <div className={styles.view}>
      <select
        aria-label={text('unit')}
        value={unit.id}
        onChange={(event) => onUnit(event.currentTarget.value)}
      >
        {units.map(({ unit: { id, name }, space }) => (
          <option key={id} value={id}>
            {name} · {space.name}
          </option>
        ))}
      </select>
      <div className={styles.month}>
        <button type="button" aria-label={text('previous')} onClick={() => onJump(first - 1)}>
          <ChevronLeft />
        </button>
        <h2>{format.month(date)}</h2>
        <button type="button" aria-label={text('next')} onClick={() => onJump(next)}>
          <ChevronRight />
        </button>
      </div>
      <div className={styles.days}>
        {days.slice(0, 7).map((at) => (
          <span key={at} className={styles.weekday} aria-hidden="true">
            {format.weekday(dateOf(at))}
          </span>
        ))}
        {days.map((at) => {
          const night = data.nightOf(unit.id, at)
          const stay = bars.find((bar) => bar.from <= at && bar.to > at)
          const cents = night?.priceCents ?? null
          const amount = cents === null ? '' : format.shortMoney(cents, unit.currency)
          const isBlocked = night !== undefined && night.blocked > 0 && night.available === 0
          const note = stay ? stay.booking.guestName || text('anonymous') : isBlocked ? text('blocked') : ''
          return (
            <button
              key={at}
              type="button"
              className={styles.day}
              data-day={at}
              data-outside={at < first || at >= next || undefined}
              data-today={at === today || undefined}
              data-stay={stay ? (stay.from === at ? 'arrival' : 'inside') : undefined}
              data-blocked={isBlocked || undefined}
              data-closed={night?.stopSell || undefined}
              aria-pressed={range !== null && at >= range.from && at <= range.to}
              onClick={() => tap(at)}
            >
              <span className="unseen">
                {[format.shortDate(dateOf(at)), note].filter(Boolean).join(', ')}
              </span>
              <b aria-hidden="true">{Number(dateOf(at).slice(8))}</b>
              <span>{stay ? note : amount}</span>
            </button>
          )
        })}
      </div>
      {range && (
        <Button fullWidth size="md" className={styles.edit} onClick={onEdit}>
          {text('selected', { nights: range.to - range.from + 1, units: 1 })}
        </Button>
      )}
    </div>
  )
}
