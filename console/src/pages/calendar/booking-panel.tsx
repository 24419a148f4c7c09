import type { contract } from '@vacancy/client'

import { Cross } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { editorMessages } from './editor-messages.ts'
import { calendarMessages } from './messages.ts'
import styles from './editor.module.css'

interface BookingPanelProps {
  booking: contract.Booking
  unitName: string
  onClose: () => void
}

/** What a person looks for when they click a stay. */
export const BookingPanel = ({ booking, unitName, onClose }: BookingPanelProps) => {
  const text = useMessages(editorMessages)
  const calendarText = useMessages(calendarMessages)
  const format = useFormat()
  const { guestName, arrival, departure, guests, totalCents, currency, status } = booking
  const facts: [string, string | null][] = [
    [text('arrivalDate'), format.date(arrival)],
    [text('departureDate'), format.date(departure)],
    [text('guests'), guests === null ? null : format.number(guests)],
    [text('total'), totalCents === null || !currency ? null : format.money(totalCents, currency)],
    [text('status'), statusText(status, text)],
  ]
  return (
    <aside className={styles.panel} aria-label={text('booking')}>
      <div className={styles.head}>
        <div>
          <h2>{guestName || calendarText('anonymous')}</h2>
          <p>{unitName}</p>
        </div>
        <button type="button" className={styles.close} aria-label={text('close')} onClick={onClose} autoFocus>
          <Cross />
        </button>
      </div>
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </aside>
  )
}

const shownStatuses = ['pending', 'confirmed', 'checked_in', 'checked_out'] as const

const statusText = (
  status: contract.Booking['status'],
  text: (key: (typeof shownStatuses)[number]) => string,
): string | null => {
  const known = shownStatuses.find((one) => one === status)
  return known ? text(known) : null
}
