import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { listPaymentTotals, listPaymentIntents, listRefunds } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { bookingMessages } from '../bookings/booking-messages.ts'
import { paymentMessages } from '../bookings/payment-messages.ts'
import { amountOf, isRefundable } from '../bookings/payment-amounts.ts'
import { PaymentStatus } from '../bookings/payment-status.tsx'
import { RefundDialog } from '../bookings/refund-dialog.tsx'
import { ledgerMessages } from './ledger-messages.ts'
import { useBookingsById, useZoneOf } from './use-references.ts'

type Payment = contract.PaymentIntent

interface PaymentTableProps {
  status: Payment['status'] | undefined
  onClear: () => void
}

export const PaymentTable = ({ status, onClear }: PaymentTableProps) => {
  const text = useMessages(ledgerMessages)
  const word = useMessages(bookingMessages)
  const payment = useMessages(paymentMessages)
  const format = useFormat()
  const queries = useQueryClient()
  const mayWrite = useCaller().may('payments:write')
  const list = useRecords(listPaymentIntents, { query: { sort: '-created_at', ...(status && { status }) } })
  const references = useBookingsById((list.records ?? []).map(({ booking_id }) => booking_id))
  const bookings = references.byId
  const zoneOf = useZoneOf()
  const [refunded, setRefunded] = useState<Payment | null>(null)
  const refresh = async () => {
    const paths = [listPaymentIntents.path, listRefunds.path, listPaymentTotals.path]
    await Promise.all(paths.map((path) => queries.invalidateQueries({ queryKey: [path] })))
  }
  const columns = useMemo(
    (): Column<Payment>[] => [
      {
        id: 'guest',
        header: text('guest'),
        width: 'minmax(120px, 1.4fr)',
        cell: ({ booking_id }) => {
          const booking = bookings.get(booking_id)
          return booking ? booking.guestName || word('anonymous') : text('openBooking')
        },
      },
      {
        id: 'stay',
        header: text('stay'),
        phone: 'labelled',
        width: 'minmax(100px, 1fr)',
        cell: ({ booking_id }) => {
          const arrival = bookings.get(booking_id)?.arrival
          return arrival && format.date(arrival)
        },
      },
      {
        id: 'status',
        header: text('status'),
        width: 'minmax(120px, 1.6fr)',
        cell: (record) => <PaymentStatus payment={record} />,
      },
      {
        id: 'date',
        header: text('date'),
        phone: 'hidden',
        width: '170px',
        cell: ({ created_at, booking_id }) => format.dayTime(created_at, zoneOf(bookings.get(booking_id))),
      },
      {
        id: 'amount',
        header: text('amount'),
        align: 'end',
        phone: 'end',
        width: '92px',
        cell: (record) => format.money(amountOf(record), record.currency),
      },
      {
        id: 'refunded',
        header: text('refunded'),
        align: 'end',
        phone: 'labelled',
        width: '104px',
        cell: ({ amount_refunded, currency }) =>
          amount_refunded > 0 && format.money(amount_refunded, currency),
      },
      {
        id: 'actions',
        header: payment('refund'),
        align: 'end',
        phone: 'last',
        width: '132px',
        cell: (record) =>
          isRefundable(record) && (
            <Button
              size="compact-sm"
              variant="default"
              disabled={!mayWrite}
              title={mayWrite ? undefined : word('noPermission')}
              onClick={() => setRefunded(record)}
            >
              {payment('refundButton')}
            </Button>
          ),
      },
    ],
    [text, word, payment, format, bookings, zoneOf, mayWrite],
  )
  return (
    <>
      <ProblemNote failure={references.error} onRetry={references.refetch} />
      <RecordTable
        label={text('payments')}
        columns={columns}
        list={list}
        link={({ booking_id }) => ({ to: '/bookings/$bookingId', params: { bookingId: booking_id } })}
        empty={
          status ? (
            <EmptyState
              title={text('nothing')}
              action={
                <Button variant="default" onClick={onClear}>
                  {text('clear')}
                </Button>
              }
            />
          ) : (
            <EmptyState
              title={text('none')}
              action={<ButtonLink to="/bookings">{text('toBookings')}</ButtonLink>}
            >
              {text('noneText')}
            </EmptyState>
          )
        }
      />
      {refunded && (
        <RefundDialog
          payment={list.records?.find(({ id }) => id === refunded.id) ?? refunded}
          guestName={bookings.get(refunded.booking_id)?.guestName ?? ''}
          onRefunded={refresh}
          onClose={() => setRefunded(null)}
        />
      )}
    </>
  )
}
