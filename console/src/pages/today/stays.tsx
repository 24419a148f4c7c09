import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import { Warning } from '../../components/icons.tsx'
import { Section } from '../../components/section.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Today } from '../../live/today.ts'
import { BookingStatus } from '../bookings/booking-status.tsx'
import type { BookingsFilter } from '../bookings/filter.ts'
import { dateOf, dayOf, todayIn } from '../calendar/nights.ts'
import { todayMessages } from './messages.ts'
import styles from './stays.module.css'

type Stay = contract.TodayStay

export const Arrivals = ({ today }: { today: Today | undefined }) => {
  const text = useMessages(todayMessages)
  const format = useFormat()
  return (
    <StaySection set="arrivals" title={text('arrivals')} part={today?.arrivals} none={text('noArrivals')}>
      {(stay) =>
        stay.status === 'confirmed' ? (
          text('from', { time: format.time(stay.check_in, stay.timezone) })
        ) : (
          <BookingStatus status={stay.status} />
        )
      }
    </StaySection>
  )
}

export const Departures = ({ today }: { today: Today | undefined }) => {
  const text = useMessages(todayMessages)
  const format = useFormat()
  return (
    <StaySection
      set="departures"
      title={text('departures')}
      part={today?.departures}
      none={text('noDepartures')}
    >
      {(stay) =>
        stay.status === 'checked_out' ? (
          <BookingStatus status={stay.status} />
        ) : (
          text('until', { time: format.time(stay.check_out, stay.timezone) })
        )
      }
    </StaySection>
  )
}

export const Unpaid = ({ unpaid }: { unpaid: NonNullable<Today['unpaid']> }) => {
  const text = useMessages(todayMessages)
  const format = useFormat()
  const isLate = ({ arrival, timezone }: Stay) => arrival < dateOf(todayIn(timezone))
  return (
    <StaySection
      set="unpaid"
      title={text('unpaid')}
      part={unpaid}
      facts={(stay) => [text(isLate(stay) ? 'arrived' : 'arrives', { date: format.shortDate(stay.arrival) })]}
    >
      {(stay) => (
        <>
          {isLate(stay) && (
            <Badge tone="bad" icon={Warning}>
              {text('late')}
            </Badge>
          )}
          <strong className={styles.amount}>
            {text('due', { amount: format.money(stay.due_cents, stay.currency) })}
          </strong>
        </>
      )}
    </StaySection>
  )
}

interface StaySectionProps<T extends Stay> {
  set: NonNullable<BookingsFilter['today']>
  title: string
  part: { count: number; bookings: T[] } | undefined
  none?: string
  facts?: (stay: T) => string[]
  /** What stands at the end of a line: a time, a state, an amount. */
  children: (stay: T) => ReactNode
}

/** The people of one part of the day, each with the way to the booking. */
const StaySection = <T extends Stay>({ set, title, part, none, facts, children }: StaySectionProps<T>) => {
  const text = useMessages(todayMessages)
  const format = useFormat()
  return (
    <Section
      title={title}
      actions={
        part &&
        part.count > part.bookings.length && (
          <Link
            to="/bookings"
            search={{ today: set, sort: 'check_in' }}
            aria-label={text('showAll', { part: title, count: part.count })}
          >
            {text('all', { count: format.number(part.count) })}
          </Link>
        )
      }
    >
      {!part ? (
        <TableSkeleton rows={3} />
      ) : part.bookings.length === 0 ? (
        <p className={styles.none}>{none}</p>
      ) : (
        <ul className={styles.list} data-part={set}>
          {part.bookings.map((stay) => (
            <li key={stay.id} className={styles.stay} data-status={stay.status}>
              <div className={styles.who}>
                <Link to="/bookings/$bookingId" params={{ bookingId: stay.id }} className={styles.guest}>
                  {stay.guest_name || text('anonymous')}
                </Link>
                <p className={styles.place}>
                  {stay.unit_name}
                  <span> · {stay.space_name}</span>
                </p>
              </div>
              <p className={styles.facts}>{(facts?.(stay) ?? factsOf(stay, text)).join(' · ')}</p>
              <div className={styles.end}>{children(stay)}</div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const factsOf = (
  { guests, rooms, arrival, departure }: Stay,
  text: (key: 'guests' | 'rooms' | 'nights', values: { count: number }) => string,
) => [
  ...(rooms > 1 ? [text('rooms', { count: rooms })] : []),
  text('guests', { count: guests }),
  text('nights', { count: dayOf(departure) - dayOf(arrival) }),
]
