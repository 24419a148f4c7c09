import { useState } from 'react'
import { Link } from '@tanstack/react-router'

import { ActionButton } from '../../components/action-button.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useBooking } from '../bookings/use-booking.ts'
import { MoveDialog } from './conflict-dialogs.tsx'
import { conflictMessages } from './conflict-messages.ts'
import { nightsBetween } from './stay.ts'
import type { Occupant } from './stay.ts'
import type { Conflict } from './use-inbox.ts'
import styles from './details.module.css'

interface OccupantCardProps {
  occupant: Occupant
  conflict: Conflict
  /** Why nothing may be changed. */
  refusal: string | null
}

/** What has the room: a booking, which can be moved, or a block. */
export const OccupantCard = ({ occupant, conflict, refusal }: OccupantCardProps) => {
  const text = useMessages(conflictMessages)
  const format = useFormat()
  if ('booking_id' in occupant)
    return <BookingCard id={occupant.booking_id} conflict={conflict} refusal={refusal} />
  const { date_from, date_to, reason } = occupant.block
  return (
    <div className={styles.stay}>
      <span className={styles.label}>{text('inPlace')}</span>
      <span className={styles.guest}>{reason ? text('blocked', { reason }) : text('blockedPlain')}</span>
      <span>{`${format.shortDate(date_from)} – ${format.date(date_to)}`}</span>
    </div>
  )
}

const BookingCard = ({
  id,
  conflict,
  refusal,
}: {
  id: string
  conflict: Conflict
  refusal: string | null
}) => {
  const text = useMessages(conflictMessages)
  const format = useFormat()
  const [isMoving, setMoving] = useState(false)
  const { data, error, refetch } = useBooking(id)
  if (!data)
    return (
      <div className={styles.stay}>
        <ProblemNote failure={error} onRetry={() => void refetch()} />
      </div>
    )
  const { booking } = data
  return (
    <div className={styles.stay}>
      <span className={styles.label}>{text('inPlace')}</span>
      <span className={styles.guest}>
        <Link {...screenLink(`/bookings/${id}`)} className={styles.link}>
          {booking.guestName || text('aGuest')}
        </Link>
      </span>
      <span>
        {`${format.shortDate(booking.arrival)} – ${format.date(booking.departure)}`} ·{' '}
        {text('nights', { count: nightsBetween(booking.arrival, booking.departure) })}
      </span>
      <span className={styles.note}>
        {text('guests', { count: booking.guests })} · {format.money(booking.totalCents, booking.currency)}
      </span>
      <div className={styles.stayActions}>
        <ActionButton refusal={refusal} onClick={() => setMoving(true)}>
          {text('move')}
        </ActionButton>
      </div>
      {isMoving && (
        <MoveDialog
          conflict={conflict}
          booking={booking}
          unitName={conflict.unit?.name ?? ''}
          onClose={() => setMoving(false)}
        />
      )}
    </div>
  )
}
