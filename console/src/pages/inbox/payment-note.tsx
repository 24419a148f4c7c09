import { usePaymentLines } from './payment-alert.ts'
import type { Alert } from './use-inbox.ts'

interface PaymentNoteProps {
  details: Alert['details']
  fallback: string
}

/** The first payment that an alert is about. */
export const PaymentNote = ({ details, fallback }: PaymentNoteProps) =>
  usePaymentLines()({ details })[0]?.sentence ?? fallback
