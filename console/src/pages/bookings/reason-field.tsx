import type { contract } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { bookingMessages } from './booking-messages.ts'
import { bookingsMessages } from './messages.ts'
import styles from './bookings.module.css'

export type Reason = NonNullable<contract.Booking['cancellationReason']>

const reasons = [
  'guest_request',
  'no_payment',
  'overbooking',
  'host',
  'no_show',
  'input_error',
  'other',
] as const satisfies readonly Reason[]

interface ReasonFieldProps {
  value: Reason
  onChange: (reason: Reason) => void
}

/** Why bookings are cancelled. */
export const ReasonField = ({ value, onChange }: ReasonFieldProps) => {
  const text = useMessages(bookingsMessages)
  const word = useMessages(bookingMessages)
  return (
    <label className={styles.reason}>
      {text('reason')}
      <select
        value={value}
        onChange={({ currentTarget }) =>
          onChange(reasons.find((one) => one === currentTarget.value) ?? 'other')
        }
      >
        {reasons.map((reason) => (
          <option key={reason} value={reason}>
            {word(reason === 'no_show' ? 'reason_no_show' : reason)}
          </option>
        ))}
      </select>
    </label>
  )
}
