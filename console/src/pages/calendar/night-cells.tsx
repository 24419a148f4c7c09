import { memo } from 'react'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import { daysPerWeek } from './nights.ts'
import { markOf } from './sync-marks.ts'
import type { ChangedNights, Mark } from './sync-marks.ts'
import type { Night, TileListing } from './tile.ts'
import styles from './night-cells.module.css'

export type CellContent = 'price' | 'plan' | 'stay' | 'closures'

interface NightCellsProps {
  unitIndex: number
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
  content: CellContent
  listings: readonly TileListing[]
  changed: ChangedNights | null
}

const markIcons: Record<Mark, string> = { sending: '↻', atPms: '✓', failed: '!' }

const Cells = (props: NightCellsProps) => {
  const { unitIndex, quantity, monday, column, left, cellWidth, today, nights, offset, content } = props
  const text = useMessages(calendarMessages)
  const format = useFormat()
  if (!nights)
    return content === 'price' ? (
      <div
        role="gridcell"
        className={styles.loading}
        data-state="loading"
        data-day={monday}
        style={{ left, width: cellWidth * daysPerWeek }}
      />
    ) : null

  return Array.from({ length: daysPerWeek }, (_, index) => {
    const day = monday + index
    const night = nights[offset + index]
    if (!night) return null
    const mark = content === 'price' ? markOf(props.listings, day, props.changed) : null
    const isTaken = night.available === 0 && content === 'price'
    const price = night.priceCents === null ? '' : format.shortMoney(night.priceCents, props.currency)
    const shown = contentOf(content, night, price)
    // A bar or a block says the rest of a night that is taken.
    if ((isTaken && !mark && quantity === 1) || (shown === '' && !mark)) return null
    const rooms = content === 'price' && quantity > 1
    return (
      <div
        key={day}
        role="gridcell"
        aria-colindex={column + index + 2}
        className={styles.cell}
        style={{ left: left + index * cellWidth, width: cellWidth }}
        data-unit-index={unitIndex}
        data-day={day}
        data-state={stateOfNight(night)}
        data-past={day < today || undefined}
        title={content === 'price' ? describeNight(night, quantity, text) || undefined : titleOf(night, text)}
      >
        {isTaken && quantity === 1 ? '' : shown}
        {rooms && (
          <small
            data-left={night.available === 0 ? 'none' : night.available <= quantity / 4 ? 'few' : 'some'}
          >
            {text('freeShort', { free: night.available, quantity })}
          </small>
        )}
        {mark && (
          <span className={styles.mark} data-mark={mark} title={text(mark)}>
            {markIcons[mark]}
          </span>
        )}
      </div>
    )
  })
}

/** Seven nights of a unit; rendered again only when one of them, or a mark, changed. */
export const NightCells = memo(Cells)

const contentOf = (content: CellContent, night: Night, price: string): string => {
  if (content === 'price' || content === 'plan') return price
  if (content === 'stay') return night.minStay > 1 || night.maxStay ? stayOf(night) : ''
  const closures = [night.closedToArrival && 'CTA', night.closedToDeparture && 'CTD', night.stopSell && '×']
  return closures.filter(Boolean).join(' ')
}

const stayOf = ({ minStay, maxStay }: Night) => (maxStay ? `${minStay}–${maxStay}` : `${minStay}+`)

export const stateOfNight = (night: Night) => {
  if (night.blocked > 0 && night.available === 0 && night.booked === 0) return 'blocked'
  if (night.available === 0) return 'taken'
  return night.stopSell ? 'closed' : 'free'
}

type Text = (key: keyof (typeof calendarMessages)['en'], values?: Record<string, string | number>) => string

/** What applies to a night beside its price, in words. */
export const describeNight = (night: Night, quantity: number, text: Text) =>
  [
    night.blocked > 0 ? (night.reason ? text('blockedFor', { reason: night.reason }) : text('blocked')) : '',
    night.available === 0 && night.booked > 0 ? text('soldOut') : '',
    quantity > 1 ? text('freeOf', { free: night.available, quantity }) : '',
    titleOf(night, text),
    night.minStay > 1 ? `${text('minStay')} ${night.minStay}` : '',
  ]
    .filter(Boolean)
    .join(', ')

const titleOf = (night: Night, text: Text) =>
  [
    night.stopSell ? text('closed') : '',
    night.closedToArrival ? text('noArrival') : '',
    night.closedToDeparture ? text('noDeparture') : '',
  ]
    .filter(Boolean)
    .join(', ')
