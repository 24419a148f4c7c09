import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createPaymentIntent, listPaymentIntents } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePaymentFailure } from '../../i18n/payment-failure.ts'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import { AmountField, useAmount } from './amount-field.tsx'
import { bookingMessages } from './booking-messages.ts'
import { CaptureDialog, isCapturable } from './capture-dialog.tsx'
import { paymentMessages } from './payment-messages.ts'
import { amountOf, isRefundable, sumsOf } from './payment-amounts.ts'
import { PaymentStatus, rejectionOf } from './payment-status.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { useRefreshBooking } from './use-booking.ts'
import { isWithdrawable, WithdrawDialog } from './withdraw-dialog.tsx'
import styles from './booking.module.css'

const maxPayments = 100

interface PaymentsSectionProps {
  booking: contract.Booking
  timeZone: string | undefined
}

/** What was paid, what was asked for, and what is still to pay. */
export const PaymentsSection = ({ booking, timeZone }: PaymentsSectionProps) => {
  const text = useMessages(paymentMessages)
  const word = useMessages(bookingMessages)
  const format = useFormat()
  const { may } = useCaller()
  const { data: payments, error, refetch } = usePayments(booking.id, may('payments:read'))
  const refresh = useRefreshBooking(booking.id)
  const [refunded, setRefunded] = useState<contract.PaymentIntent | null>(null)
  const [captured, setCaptured] = useState<contract.PaymentIntent | null>(null)
  const [withdrawn, setWithdrawn] = useState<contract.PaymentIntent | null>(null)
  const [isAsking, setAsking] = useState(false)
  const { currency, totalCents } = booking

  if (!may('payments:read'))
    return (
      <Section title={text('payments')}>
        <p className={styles.hint}>{text('hidden')}</p>
      </Section>
    )
  const { paid, open } = sumsOf(payments ?? [], currency)
  const due = totalCents - paid
  const mayWrite = may('payments:write')
  const isOver = ['cancelled', 'declined', 'expired'].includes(booking.status)
  const canAsk = due - open > 0 && !isOver
  const whyNot = !mayWrite ? word('noPermission') : !payments || canAsk ? undefined : text('nothingDue')
  return (
    <Section
      title={text('payments')}
      actions={
        <Button
          size="compact-sm"
          variant="default"
          disabled={!payments || whyNot !== undefined}
          title={whyNot}
          onClick={() => setAsking(true)}
        >
          {text('request')}
        </Button>
      }
    >
      <ProblemNote failure={error} onRetry={() => void refetch()} />
      <dl className={styles.lines}>
        {payments?.map((payment) => (
          <div key={payment.id}>
            <dt>
              <PaymentStatus payment={payment} />
              <span>{format.dateTime(payment.created_at, timeZone)}</span>
            </dt>
            <dd>
              {format.money(amountOf(payment), payment.currency)}
              {payment.amount_refunded > 0 && (
                <span>− {format.money(payment.amount_refunded, payment.currency)}</span>
              )}
              {isCapturable(payment) && <Action name="capture" onClick={() => setCaptured(payment)} />}
              {isRefundable(payment) && <Action name="refundButton" onClick={() => setRefunded(payment)} />}
              {isWithdrawable(payment) && (
                <Action
                  name={isCapturable(payment) ? 'release' : 'withdraw'}
                  onClick={() => setWithdrawn(payment)}
                />
              )}
            </dd>
          </div>
        ))}
        {payments && (
          <div className={styles.total}>
            <dt>{text('paid')}</dt>
            <dd>{format.money(paid, currency)}</dd>
          </div>
        )}
        {payments && !isOver && (
          <div className={styles.total}>
            <dt>{text(due < 0 ? 'overpaid' : 'balance')}</dt>
            <dd>{format.money(Math.abs(due), currency)}</dd>
          </div>
        )}
      </dl>
      {payments?.length === 0 && <p className={styles.hint}>{text('none')}</p>}
      {refunded && (
        <RefundDialog
          payment={payments?.find(({ id }) => id === refunded.id) ?? refunded}
          guestName={booking.guestName}
          onRefunded={refresh}
          onClose={() => setRefunded(null)}
        />
      )}
      {captured && (
        <CaptureDialog
          payment={captured}
          guestName={booking.guestName}
          dueCents={due}
          onCaptured={refresh}
          onClose={() => setCaptured(null)}
        />
      )}
      {withdrawn && (
        <WithdrawDialog payment={withdrawn} onWithdrawn={refresh} onClose={() => setWithdrawn(null)} />
      )}
      {isAsking && (
        <RequestDialog
          booking={booking}
          payments={payments ?? []}
          dueCents={due - open}
          onAsked={refresh}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  )
}

interface ActionProps {
  name: 'capture' | 'release' | 'refundButton' | 'withdraw'
  onClick: () => void
}

const Action = ({ name, onClick }: ActionProps) => {
  const text = useMessages(paymentMessages)
  const word = useMessages(bookingMessages)
  const { may } = useCaller()
  const mayWrite = may('payments:write')
  return (
    <button
      type="button"
      className={styles.link}
      disabled={!mayWrite}
      title={mayWrite ? undefined : word('noPermission')}
      onClick={onClick}
    >
      {text(name)}
    </button>
  )
}

interface RequestDialogProps {
  booking: contract.Booking
  payments: readonly contract.PaymentIntent[]
  dueCents: number
  onAsked: () => Promise<void>
  onClose: () => void
}

const RequestDialog = ({ booking, payments, dueCents, onAsked, onClose }: RequestDialogProps) => {
  const text = useMessages(paymentMessages)
  const format = useFormat()
  const toast = useToast()
  const sendOnce = useSendOnce()
  const reasonOf = usePaymentFailure()
  const { id, currency, guestName } = booking
  const amount = useAmount(currency, dueCents)
  const [known] = useState(() => new Set(payments.map((payment) => payment.id)))
  const ask = async () => {
    const cents = amount.read()
    const body = { booking_id: id, amount: cents, currency }
    const { payment_intent } = await sendOnce(createPaymentIntent, { body }, dueCents)
    await onAsked()
    const rejection = rejectionOf(payment_intent)
    if (rejection !== null) throw new Error(text('rejected', { reason: reasonOf(rejection) }))
    // In place of a second one for the same amount, the API returns the one that waits.
    if (known.has(payment_intent.id))
      throw new Error(text('alreadyAsked', { amount: format.money(cents, currency) }))
    toast({ message: text('requested') })
  }
  return (
    <ConfirmDialog
      title={text('requestTitle', { guest: guestName })}
      action={text('requestAction')}
      onConfirm={ask}
      onClose={onClose}
    >
      <p>{text('requestText')}</p>
      <AmountField amount={amount} />
    </ConfirmDialog>
  )
}

const usePayments = (bookingId: string, isEnabled: boolean) => {
  const api = useApi()
  return useQuery({
    queryKey: [listPaymentIntents.path, bookingId],
    queryFn: async ({ signal }) => {
      const query = { booking_id: bookingId, limit: maxPayments }
      return (await api.send(listPaymentIntents, { query, signal })).payment_intents
    },
    enabled: isEnabled,
  })
}
