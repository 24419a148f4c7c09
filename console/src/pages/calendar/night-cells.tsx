import { memo } from 'react'

import { useFormat } from '../../i18n/format.ts'
import type { Format } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { calendarMessages } from './messages.ts'
import { daysPerWeek } from './nights.ts'
import { markOf } from './sync-marks.ts'
import type { ChangedNights } from './sync-marks.ts'
import type { Night, TileListing } from './tile.ts'
import styles from './night-cells.module.css'

export type CellContent = 'price' | 'plan' | 'stay' | 'closures'

interface NightCellsProps {
  unitIndex: number
  quantity: number
  currency: string
  monday: number
  /** The days of the week that are in view. */
  from: number
  to: number
  /** The day of the first column. */
  firstDay: number
  nameWidth: number
  cellWidth: number
  today: number
  /** The nights of the tile that begins with the day `tileStart`. */
  nights: readonly Night[] | undefined
  tileStart: number
  content: CellContent
  listings: readonly TileListing[]
  changed: ChangedNights | null
}

/** A longer price is written smaller: a bar that ends on its night would hide its first figure. */
export const longLength = ({ length }: string): number | undefined => (length > 4 ? length : undefined)

const Cells = (props: NightCellsProps) => {
  const { unitIndex, quantity, currency, monday, from, to, firstDay, cellWidth, today, nights, content } =
    props
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const leftOf = (day: number) => props.nameWidth + (day - firstDay) * cellWidth
  if (!nights)
    return content === 'price' ? (
      <div
        role="gridcell"
        className={styles.loading}
        data-state="loading"
        data-day={monday}
        style={{ left: leftOf(monday), width: cellWidth * daysPerWeek }}
      />
    ) : null

  return Array.from({ length: to - from + 1 }, (_, index) => {
    const day = from + index
    const night = nights[day - props.tileStart]
    if (!night) return null
    const mark = content === 'price' ? markOf(props.listings, day, props.changed) : null
    const isTaken = night.available === 0 && content === 'price'
    const price = night.priceCents === null ? '' : format.nightPrice(night.priceCents, currency)
    const shown = contentOf(content, night, price)
    // A bar or a block says the rest of a night that is taken.
    if ((isTaken && !mark && quantity === 1) || (shown === '' && !mark)) return null
    const free = content === 'price' && quantity > 1 ? night.available : null
    return (
      <div
        key={day}
        role="gridcell"
        aria-colindex={day - firstDay + 2}
        className={styles.cell}
        style={{ left: leftOf(day), width: cellWidth }}
        data-unit-index={unitIndex}
        data-day={day}
        data-state={stateOfNight(night)}
        data-past={day < today || undefined}
        data-free={free === null ? undefined : text('freeShort', { free, quantity })}
        data-left={free === null ? undefined : free === 0 ? 'none' : free <= quantity / 4 ? 'few' : 'some'}
        data-mark={mark ?? undefined}
        data-long={longLength(shown)}
        title={
          content === 'price'
            ? [exactPrice(night, format, currency), describeNight(night, quantity, text), mark && text(mark)]
                .filter(Boolean)
                .join(', ') || undefined
            : titleOf(night, text)
        }
      >
        {isTaken && quantity === 1 ? '' : shown}
      </div>
    )
  })
}

/** A week of a unit; rendered again only when one of its nights, what is in view of it, or a mark changed. */
export const NightCells = memo(Cells)

const contentOf = (content: CellContent, night: Night, price: string): string => {
  if (content === 'price' || content === 'plan') return price
  if (content === 'stay') return night.minStay > 1 || night.maxStay ? stayOf(night) : ''
  const closures = [night.closedToArrival && 'CTA', night.closedToDeparture && 'CTD', night.stopSell && '×']
  return closures.filter(Boolean).join(' ')
}

const stayOf = ({ minStay, maxStay }: Night) => (maxStay ? `${minStay}–${maxStay}` : `${minStay}+`)

/** The price of which a cell leaves the decimals out. */
export const exactPrice = ({ priceCents }: Night, format: Format, currency: string): string =>
  priceCents !== null && priceCents > 100_000 && priceCents % 100 > 0
    ? format.money(priceCents, currency)
    : ''

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
