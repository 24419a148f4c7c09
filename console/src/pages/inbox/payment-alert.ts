import { disputeReasonMessages } from '../../i18n/dispute-reason-messages.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePaymentFailure } from '../../i18n/payment-failure.ts'
import { paymentMessages } from '../bookings/payment-messages.ts'
import { useDisputeText } from '../bookings/payment-status.tsx'
import type { Alert } from './use-inbox.ts'

interface PaymentPart {
  booking_id: string
  /** Alerts that were raised by an earlier version do not name the amount of a refund. */
  amount?: number
  currency: string
}

interface Details {
  disputes?: (PaymentPart & {
    status: 'inquiry' | 'open' | 'lost' | 'won'
    reason: string
    respond_by: string | null
  })[]
  refunds?: (PaymentPart & { failure_code: string | null })[]
}

interface PaymentLine {
  bookingId: string
  /** Null where only the message of the alert says it. */
  sentence: string | null
}

/** The payments that an alert is about, each in a sentence. */
export const usePaymentLines = () => {
  const text = useMessages(paymentMessages)
  const reason = useMessages(disputeReasonMessages)
  const format = useFormat()
  const failureOf = usePaymentFailure()
  const disputeText = useDisputeText()
  const line = ({ booking_id, amount, currency }: PaymentPart, state: string, why: string | null) => ({
    bookingId: booking_id,
    sentence:
      amount === undefined ? null : [state, format.money(amount, currency), why].filter(Boolean).join(' · '),
  })
  return ({ details }: Pick<Alert, 'details'>): PaymentLine[] => {
    const { disputes = [], refunds = [] } = details as Details
    return [
      ...disputes.map((part) =>
        line(
          part,
          disputeText(part.status, part.respond_by),
          isReason(part.reason) ? reason(part.reason) : part.reason.replaceAll('_', ' '),
        ),
      ),
      ...refunds.map((part) =>
        line(part, text('refund_failed'), part.failure_code ? failureOf(part.failure_code, 'refund') : null),
      ),
    ]
  }
}

const isReason = (code: string): code is keyof (typeof disputeReasonMessages)['en'] =>
  Object.hasOwn(disputeReasonMessages.en, code)
