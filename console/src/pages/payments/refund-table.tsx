import { useMemo } from 'react'
import { listRefunds } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { bookingMessages } from '../bookings/booking-messages.ts'
import { paymentMessages } from '../bookings/payment-messages.ts'
import { RefundStatus } from '../bookings/payment-status.tsx'
import { ledgerMessages } from './ledger-messages.ts'
import { useBookingsById, usePaymentsById, useZoneOf } from './use-references.ts'

type Refund = contract.PaymentRefund

export const RefundTable = ({ status }: { status: Refund['status'] | undefined }) => {
  const text = useMessages(ledgerMessages)
  const word = useMessages(bookingMessages)
  const payment = useMessages(paymentMessages)
  const format = useFormat()
  const list = useRecords(listRefunds, { query: { sort: '-created_at', ...(status && { status }) } })
  const payments = usePaymentsById((list.records ?? []).map(({ payment_intent_id }) => payment_intent_id))
  const bookings = useBookingsById([...payments.byId.values()].map(({ booking_id }) => booking_id))
  const zoneOf = useZoneOf()
  const columns = useMemo((): Column<Refund>[] => {
    const bookingOf = ({ payment_intent_id }: Refund) =>
      bookings.byId.get(payments.byId.get(payment_intent_id)?.booking_id ?? '')
    return [
      {
        id: 'guest',
        header: text('guest'),
        width: 'minmax(140px, 1.4fr)',
        cell: (refund) => {
          const booking = bookingOf(refund)
          return booking && (booking.guestName || word('anonymous'))
        },
      },
      {
        id: 'reason',
        header: text('reason'),
        width: 'minmax(140px, 1.2fr)',
        cell: ({ reason }) => payment(reason),
      },
      {
        id: 'status',
        header: text('status'),
        width: '170px',
        cell: ({ status: state, reason }) => <RefundStatus status={state} reason={reason} />,
      },
      {
        id: 'date',
        header: text('date'),
        width: '170px',
        cell: (refund) => format.dayTime(refund.created_at, zoneOf(bookingOf(refund))),
      },
      {
        id: 'amount',
        header: text('amount'),
        align: 'end',
        phone: 'end',
        width: '120px',
        cell: ({ amount, currency }) => format.money(amount, currency),
      },
    ]
  }, [text, word, payment, format, payments.byId, bookings.byId, zoneOf])
  return (
    <>
      <ProblemNote
        failure={payments.error ?? bookings.error}
        onRetry={() => {
          payments.refetch()
          bookings.refetch()
        }}
      />
      <RecordTable
        label={text('refunds')}
        columns={columns}
        list={list}
        empty={<EmptyState title={text(status ? 'nothing' : 'noRefunds')} />}
      />
    </>
  )
}
