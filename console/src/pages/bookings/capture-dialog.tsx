import { capturePaymentIntent } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { AmountField, useAmount } from './amount-field.tsx'
import { paymentMessages } from './payment-messages.ts'

interface CaptureDialogProps {
  payment: contract.PaymentIntent
  guestName: string
  /** What is still to pay, which may be less than what is held: the price was lowered meanwhile. */
  dueCents: number
  onCaptured: () => Promise<void>
  onClose: () => void
}

/** Takes what is held on a card, or a part of it. */
export const CaptureDialog = ({ payment, guestName, dueCents, onCaptured, onClose }: CaptureDialogProps) => {
  const text = useMessages(paymentMessages)
  const format = useFormat()
  const toast = useToast()
  const api = useApi()
  const { id, currency } = payment
  const amount = useAmount(currency, payment.amount, Math.max(0, Math.min(payment.amount, dueCents)))
  const capture = async () => {
    await api.send(capturePaymentIntent, { path: { id }, body: { amount: amount.read() } })
    await onCaptured()
    toast({ message: text('captured') })
  }
  return (
    <ConfirmDialog
      title={text('captureTitle', { guest: guestName })}
      action={text('captureAction')}
      onConfirm={capture}
      onClose={onClose}
    >
      <p>{text('captureText', { amount: format.money(payment.amount, currency) })}</p>
      <AmountField amount={amount} />
    </ConfirmDialog>
  )
}

/** Whether it is held on a card, and neither its capture nor its cancellation was requested. */
export const isCapturable = ({ status, requested }: contract.PaymentIntent) =>
  status === 'requires_capture' && requested === null
