import type { contract } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import type { Tone } from '../../components/badge.tsx'
import { Check, Clock, Cross, Undo, Warning } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePaymentFailure } from '../../i18n/payment-failure.ts'
import { paymentMessages } from './payment-messages.ts'

type Look = { tone: Tone; icon: typeof Check }

const looks: Record<contract.PaymentIntent['status'], Look> = {
  requires_payment_method: { tone: 'wait', icon: Clock },
  requires_confirmation: { tone: 'wait', icon: Clock },
  requires_action: { tone: 'wait', icon: Clock },
  processing: { tone: 'busy', icon: Clock },
  requires_capture: { tone: 'busy', icon: Clock },
  succeeded: { tone: 'ok', icon: Check },
  canceled: { tone: 'still', icon: Cross },
}

const refundLooks: Record<contract.PaymentRefund['status'], Look> = {
  pending: { tone: 'wait', icon: Clock },
  succeeded: { tone: 'ok', icon: Undo },
  failed: { tone: 'bad', icon: Warning },
  canceled: { tone: 'still', icon: Cross },
}

/** Why the provider did not open the payment; null when it did, or has not been asked yet. */
export const rejectionOf = ({ status, failure_code, provider_reference }: contract.PaymentIntent) =>
  status === 'canceled' && provider_reference === null ? failure_code : null

/** The state of a payment; that the bank disputes it, why its last attempt failed, or that all of it went back. */
export const PaymentStatus = ({ payment }: { payment: contract.PaymentIntent }) => {
  const { requested, failure_code, amount_received, amount_refunded, dispute } = payment
  // The provider has not answered yet.
  const status = requested === null ? payment.status : 'processing'
  const text = useMessages(paymentMessages)
  const reasonOf = usePaymentFailure()
  if (dispute && dispute.status !== 'won') return <DisputeStatus dispute={dispute} />
  if (amount_received > 0 && amount_refunded === amount_received) return <RefundStatus status="succeeded" />
  const isRejected = rejectionOf(payment) !== null
  // What has ended is not tried again.
  const hasEnded = status === 'succeeded' || (status === 'canceled' && !isRejected)
  if (failure_code === null || hasEnded) return <Badge {...looks[status]}>{text(status)}</Badge>
  return (
    <Badge tone="bad" icon={Warning}>
      {text(isRejected ? 'rejected' : 'failed', { reason: reasonOf(failure_code) })}
    </Badge>
  )
}

interface DisputeStatusProps {
  dispute: NonNullable<contract.PaymentIntent['dispute']>
}

const DisputeStatus = ({ dispute: { respond_by, status } }: DisputeStatusProps) => {
  const textOf = useDisputeText()
  return (
    <Badge tone="bad" icon={Warning}>
      {textOf(status, respond_by)}
    </Badge>
  )
}

/** The state of a dispute, with the date until which to respond. */
export const useDisputeText = () => {
  const text = useMessages(paymentMessages)
  const format = useFormat()
  return (status: DisputeStatusProps['dispute']['status'], respondBy: string | null): string =>
    respondBy === null || status === 'lost' || status === 'won'
      ? text(`dispute_${status}`)
      : text(`dispute_${status}_by`, { date: format.date(respondBy.slice(0, 10)) })
}

interface RefundStatusProps {
  status: contract.PaymentRefund['status']
  reason?: contract.PaymentRefund['reason']
}

/** The state of a refund, or of what the bank took. */
export const RefundStatus = ({ status, reason }: RefundStatusProps) => {
  const text = useMessages(paymentMessages)
  if (reason === 'dispute' && status === 'succeeded')
    return (
      <Badge tone="bad" icon={Warning}>
        {text('dispute_succeeded')}
      </Badge>
    )
  return (
    <Badge {...refundLooks[status]}>{text(`${reason === 'dispute' ? 'dispute' : 'refund'}_${status}`)}</Badge>
  )
}
