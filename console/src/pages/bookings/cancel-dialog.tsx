import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getBookingCancellation } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { changeMessages } from './change-messages.ts'
import { ReasonField } from './reason-field.tsx'
import type { Reason } from './reason-field.tsx'

interface CancelDialogProps {
  booking: contract.Booking
  onChange: (change: contract.BookingPatch) => Promise<void>
  onClose: () => void
}

/** Asks why, and shows what goes back to the guest before it happens. */
export const CancelDialog = ({ booking, onChange, onClose }: CancelDialogProps) => {
  const text = useMessages(changeMessages)
  const toast = useToast()
  const api = useApi()
  const [reason, setReason] = useState<Reason>('guest_request')
  const {
    data: preview,
    error,
    refetch,
  } = useQuery({
    queryKey: [getBookingCancellation.path, booking.id, reason],
    queryFn: async ({ signal }) => {
      const request = { path: { id: booking.id }, query: { reason }, signal }
      return (await api.send(getBookingCancellation, request)).cancellation
    },
    staleTime: 0,
    // Offline, the dialog says why it cannot tell.
    networkMode: 'always',
  })
  const cancel = async () => {
    await onChange({ status: 'cancelled', cancellationReason: reason })
    toast({ message: text('cancelled') })
  }
  return (
    <ConfirmDialog
      title={text('cancelTitle', { guest: booking.guestName })}
      action={text('cancelAction')}
      dismissal={text('keepBooking')}
      isDangerous
      isReady={preview !== undefined || error !== null}
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>{text('cancelText')}</p>
      <ReasonField value={reason} onChange={setReason} />
      {preview && <Refund preview={preview} />}
      <ProblemNote failure={error} onRetry={() => void refetch()} />
    </ConfirmDialog>
  )
}

const Refund = ({ preview }: { preview: contract.CancellationPreview }) => {
  const text = useMessages(changeMessages)
  const format = useFormat()
  const { refund_percent, received_cents, refund_cents, open_cents, currency, free_until } = preview
  const percent = format.percent(refund_percent / 100)
  const money = (cents: number) => format.money(cents, currency)
  const sentence =
    received_cents === null || refund_cents === null
      ? text('percentOnly', { percent })
      : received_cents === 0
        ? text('nothingPaid')
        : text(sentenceOf(refund_cents, Math.ceil((received_cents * refund_percent) / 100)), {
            ...{ percent, amount: money(refund_cents), received: money(received_cents) },
          })
  return (
    <div role="status">
      <p>
        <strong>{sentence}</strong>
      </p>
      {open_cents !== null && open_cents > 0 && <p>{text('openCancelled', { amount: money(open_cents) })}</p>}
      <p>{text('freeUntil', { date: format.date(free_until) })}</p>
    </div>
  )
}

/** Less than the share goes back where something went back before, or is disputed. */
const sentenceOf = (refundCents: number, shareCents: number) => {
  if (refundCents === 0) return shareCents > 0 ? 'refundNoRest' : 'refundNothing'
  return refundCents < shareCents ? 'refundRest' : 'refundNow'
}
