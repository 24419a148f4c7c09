import type { contract } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import type { Tone } from '../../components/badge.tsx'
import { Check, Clock, Cross, Undo, Warning } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
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

type PaymentState = Pick<
  contract.PaymentIntent,
  'status' | 'failure_code' | 'amount_received' | 'amount_refunded'
>

/** The state of a payment; why its last attempt failed, as long as it is not paid, or that all of it went back. */
export const PaymentStatus = ({ payment }: { payment: PaymentState }) => {
  const { status, failure_code, amount_received, amount_refunded } = payment
  const text = useMessages(paymentMessages)
  if (amount_received > 0 && amount_refunded === amount_received) return <RefundStatus status="succeeded" />
  if (failure_code === null || status === 'succeeded') return <Badge {...looks[status]}>{text(status)}</Badge>
  return (
    <Badge tone="bad" icon={Warning}>
      {text('failed', { code: failure_code.replaceAll('_', ' ') })}
    </Badge>
  )
}

export const RefundStatus = ({ status }: Pick<contract.PaymentRefund, 'status'>) => {
  const text = useMessages(paymentMessages)
  return <Badge {...refundLooks[status]}>{text(`refund_${status}`)}</Badge>
}
