import { Link } from '@tanstack/react-router'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Today } from '../../live/today.ts'
import type { BookingsFilter } from '../bookings/filter.ts'
import { todayMessages } from './messages.ts'
import styles from './figures.module.css'

interface FigureProps {
  set: NonNullable<BookingsFilter['today']>
  label: string
  count: number | undefined
  note: string | undefined
  tone?: 'bad'
}

/** How many stays of each kind there are; each number leads to these bookings. */
export const Figures = ({ today }: { today: Today | undefined }) => {
  const text = useMessages(todayMessages)
  const { arrivals, departures, in_house, unpaid } = today ?? {}
  return (
    <ul className={styles.figures} aria-label={text('figures')} data-today={today && 'loaded'}>
      <Figure
        set="arrivals"
        label={text('arrivals')}
        count={arrivals?.count}
        note={arrivals && text('checkedIn', { done: arrivals.done, count: arrivals.count })}
      />
      <Figure
        set="departures"
        label={text('departures')}
        count={departures?.count}
        note={departures && text('checkedOut', { done: departures.done, count: departures.count })}
      />
      <Figure
        set="in_house"
        label={text('inHouse')}
        count={in_house?.count}
        note={in_house && text('guests', { count: in_house.guests })}
      />
      {unpaid !== null && (
        <Figure
          set="unpaid"
          label={text('unpaid')}
          count={unpaid?.count}
          note={unpaid && text('overdue', { count: unpaid.overdue })}
          {...(unpaid && unpaid.overdue > 0 && { tone: 'bad' })}
        />
      )}
    </ul>
  )
}

const Figure = ({ set, label, count, note, tone }: FigureProps) => {
  const format = useFormat()
  return (
    <li>
      <Link
        to="/bookings"
        search={{ today: set, sort: 'check_in' }}
        className={styles.figure}
        data-figure={set}
        data-any={(count ?? 0) > 0}
      >
        <span className={styles.label}>{label}</span>
        <span className={styles.count}>{count === undefined ? '–' : format.number(count)}</span>
        <span className={styles.note} data-tone={tone}>
          {note ?? '\u00a0'}
        </span>
      </Link>
    </li>
  )
}
