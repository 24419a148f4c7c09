import { cancelPaymentIntent } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { paymentMessages } from './payment-messages.ts'

interface WithdrawDialogProps {
  payment: contract.PaymentIntent
  onWithdrawn: () => Promise<void>
  onClose: () => void
}

/** Cancels a payment that was asked for and is not paid yet, or is held on a card. */
export const WithdrawDialog = ({ payment, onWithdrawn, onClose }: WithdrawDialogProps) => {
  const text = useMessages(paymentMessages)
  const format = useFormat()
  const toast = useToast()
  const api = useApi()
  const { id, amount, currency, status } = payment
  const isHeld = status === 'requires_capture'
  const withdraw = async () => {
    await api.send(cancelPaymentIntent, { path: { id } })
    await onWithdrawn()
    toast({ message: text(isHeld ? 'released' : 'withdrawn') })
  }
  return (
    <ConfirmDialog
      title={text(isHeld ? 'releaseTitle' : 'withdrawTitle', { amount: format.money(amount, currency) })}
      action={text(isHeld ? 'releaseAction' : 'withdrawAction')}
      dismissal={text('keep')}
      isDangerous
      onConfirm={withdraw}
      onClose={onClose}
    >
      <p>{text(isHeld ? 'releaseText' : 'withdrawText')}</p>
    </ConfirmDialog>
  )
}

/** Whether the provider can still cancel it. One that is being processed may have been paid. */
export const isWithdrawable = ({ status, requested }: contract.PaymentIntent) =>
  !['processing', 'succeeded', 'canceled'].includes(status) && requested === null
