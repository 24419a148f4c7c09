import { memo } from 'react'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import type { Night } from './night-terms.ts'
import { dateOf, daysPerWeek, isWeekend } from './nights.ts'
import styles from './calendar-grid.module.css'

export type Mark = 'sending' | 'atPms' | 'failed'

interface WeekCellsProps {
  unitId: string
  unitIndex: number
  unitName: string
  quantity: number
  currency: string
  /** The first day of the week, and its number among the columns. */
  monday: number
  column: number
  left: number
  cellWidth: number
  today: number
  /** The nights from a tile; the week begins at `offset`. */
  nights: readonly Night[] | undefined
  offset: number
  /** What a cell shows: the price, or the minimum stay and closures. */
  content: 'price' | 'stay'
  selectedFrom: number
  selectedTo: number
  activeDay: number
  markedFrom: number
  markedTo: number
  mark: Mark | null
}

const markIcons: Record<Mark, string> = { sending: '↻', atPms: '✓', failed: '!' }

const Cells = (props: WeekCellsProps) => {
  const { unitId, unitIndex, monday, column, left, cellWidth, today, nights, offset, content } = props
  const text = useMessages(calendarMessages)
  const format = useFormat()
  return (
    <div role="none" className={styles.week} style={{ left, width: cellWidth * daysPerWeek }}>
      {Array.from({ length: daysPerWeek }, (_, index) => {
        const day = monday + index
        const night = nights?.[offset + index]
        const isMarked = props.mark && day >= props.markedFrom && day <= props.markedTo
        const stateText = night && describeNight(night, props.quantity, text)
        const cents = night?.priceCents ?? null
        const price = cents === null ? '' : format.money(cents, props.currency)
        const short = cents === null ? '' : format.shortMoney(cents, props.currency)
        return (
          <div
            key={day}
            id={`${content}-${unitId}-${day}`}
            role="gridcell"
            aria-colindex={column + index + 2}
            aria-selected={day >= props.selectedFrom && day <= props.selectedTo}
            aria-label={[props.unitName, format.shortDate(dateOf(day)), price, stateText]
              .filter(Boolean)
              .join(', ')}
            className={styles.cell}
            data-unit-index={unitIndex}
            data-day={day}
            data-state={night ? stateOfNight(night) : 'loading'}
            data-weekend={isWeekend(day) || undefined}
            data-today={day === today || undefined}
            data-past={day < today || undefined}
            data-active={day === props.activeDay || undefined}
            title={stateText || undefined}
          >
            {night && (content === 'price' ? cellText(night, short) : <StayTerms night={night} />)}
            {isMarked && (
              <span className={styles.mark} data-mark={props.mark} title={text(props.mark ?? 'sending')}>
                {markIcons[props.mark ?? 'sending']}
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Seven nights of a unit; rendered again only when one of them, the selection or a mark changed. */
export const WeekCells = memo(Cells)

const StayTerms = ({ night }: { night: Night }) => (
  <span className={styles.terms}>
    {night.minStay > 1 && <b>{night.minStay}+</b>}
    {night.closedToArrival && <span>⇥</span>}
    {night.closedToDeparture && <span>↦</span>}
    {night.stopSell && <span>×</span>}
  </span>
)

const cellText = (night: Night, price: string) => (night.booked > 0 && night.available === 0 ? '' : price)

const stateOfNight = (night: Night) => {
  if (night.blocked > 0 && night.available === 0 && night.booked === 0) return 'blocked'
  if (night.available === 0) return 'taken'
  return night.stopSell ? 'closed' : 'free'
}

type Text = (key: keyof (typeof calendarMessages)['en'], values?: Record<string, string | number>) => string

const describeNight = (night: Night, quantity: number, text: Text) =>
  [
    night.blocked > 0 ? (night.reason ? text('blockedFor', { reason: night.reason }) : text('blocked')) : '',
    night.available === 0 && night.booked > 0 ? text('soldOut') : '',
    quantity > 1 ? text('freeOf', { free: night.available, quantity }) : '',
    night.stopSell ? text('closed') : '',
    night.minStay > 1 ? `${text('minStay')} ${night.minStay}` : '',
    night.closedToArrival ? text('noArrival') : '',
    night.closedToDeparture ? text('noDeparture') : '',
  ]
    .filter(Boolean)
    .join(', ')
