import { memo } from 'react'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { GridLayout } from './grid-layout.ts'
import { calendarMessages } from './messages.ts'
import { dateOf, daysPerWeek } from './nights.ts'
import styles from './calendar-grid.module.css'

interface DayHeadersProps {
  /** Their Mondays. */
  weeks: readonly number[]
  firstDay: number
  today: number
  layout: GridLayout
}

const Headers = ({ weeks, firstDay, today, layout: { nameWidth, cellWidth } }: DayHeadersProps) => {
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const days = weeks.flatMap((monday) => Array.from({ length: daysPerWeek }, (_, at) => monday + at))
  return (
    <div role="row" aria-rowindex={1} className={styles.header}>
      <div role="columnheader" className={styles.corner} style={{ width: nameWidth }}>
        {text('unit')}
      </div>
      {[...Map.groupBy(days, (day) => dateOf(day).slice(0, 7))].map(([month, [first = 0, ...rest]]) => (
        <div
          key={month}
          role="none"
          className={styles.month}
          style={{ left: nameWidth + (first - firstDay) * cellWidth, width: (rest.length + 1) * cellWidth }}
        >
          <span>{format.month(`${month}-01`)}</span>
        </div>
      ))}
      {days.map((day) => {
        const date = dateOf(day)
        return (
          <div
            key={day}
            role="columnheader"
            aria-colindex={day - firstDay + 2}
            className={styles.dayHeader}
            style={{ left: nameWidth + (day - firstDay) * cellWidth, width: cellWidth }}
            data-today={day === today || undefined}
            title={text('selectDay')}
          >
            {`${format.weekday(date)}\n${Number(date.slice(8))}`}
          </div>
        )
      })}
    </div>
  )
}

/** Weekday, day and month above the columns. */
export const DayHeaders = memo(Headers)
