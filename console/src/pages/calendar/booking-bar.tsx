import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Bar } from './bars.ts'
import { calendarMessages } from './messages.ts'
import styles from './booking-bar.module.css'

interface BookingBarProps {
  bar: Bar
  left: number
  top: number
  width: number
  height: number
  isOpen: boolean
  onOpen: (bar: Bar) => void
}

/** One stay, from the middle of its first day to the middle of its last. */
export const BookingBar = ({ bar, left, top, width, height, isOpen, onOpen }: BookingBarProps) => {
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const { guestName, arrival, departure, status } = bar.booking
  const guest = guestName || text('anonymous')
  const label = text('bookingOf', {
    guest,
    from: format.shortDate(arrival),
    to: format.shortDate(departure),
  })
  return (
    <div role="gridcell" className={styles.barCell} style={{ left, top, width, height }}>
      <button
        type="button"
        tabIndex={-1}
        className={styles.bar}
        data-booking={bar.id}
        data-status={status}
        aria-label={label}
        aria-pressed={isOpen}
        title={label}
        onClick={() => onOpen(bar)}
      >
        <span>{guest}</span>
      </button>
    </div>
  )
}
