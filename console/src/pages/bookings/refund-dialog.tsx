import { useState } from 'react'
import { createRefund } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useSendOnce } from '../../session/api.tsx'
import { AmountField, useAmount } from './amount-field.tsx'
import { paymentMessages } from './payment-messages.ts'
import styles from './bookings.module.css'

const reasons = ['requested_by_guest', 'duplicate', 'fraudulent', 'other'] as const

interface RefundDialogProps {
  /** As it is now: a colleague may refund a part of it meanwhile. */
  payment: Pick<contract.PaymentIntent, 'id' | 'amount_received' | 'amount_refunded' | 'currency'>
  guestName: string
  onRefunded: () => Promise<void>
  onClose: () => void
}

/** Gives a payment back, or a part of it. */
export const RefundDialog = ({ payment, guestName, onRefunded, onClose }: RefundDialogProps) => {
  const text = useMessages(paymentMessages)
  const format = useFormat()
  const toast = useToast()
  const sendOnce = useSendOnce()
  const { id, amount_received, amount_refunded, currency } = payment
  const left = amount_received - amount_refunded
  // What is left changes also when a refund was made and the response to it was lost.
  const [seen] = useState(left)
  const amount = useAmount(currency, left)
  const [reason, setReason] = useState<(typeof reasons)[number]>('requested_by_guest')
  const refund = async () => {
    await sendOnce(createRefund, { path: { id }, body: { amount: amount.read(), reason } }, seen)
    await onRefunded()
    toast({ message: text('refundDone') })
  }
  return (
    <ConfirmDialog
      title={text('refundTitle', { guest: guestName })}
      action={text('refundAction')}
      isDangerous
      onConfirm={refund}
      onClose={onClose}
    >
      <p>{text('refundText', { left: format.money(left, currency) })}</p>
      <AmountField amount={amount} />
      <label className={styles.reason}>
        {text('reason')}
        <select
          value={reason}
          onChange={({ currentTarget }) =>
            setReason(reasons.find((one) => one === currentTarget.value) ?? 'other')
          }
        >
          {reasons.map((one) => (
            <option key={one} value={one}>
              {text(one)}
            </option>
          ))}
        </select>
      </label>
    </ConfirmDialog>
  )
}
