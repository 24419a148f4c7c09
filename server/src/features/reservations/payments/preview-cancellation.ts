import { sql } from '#db/sql.ts'
import { Type, type Static } from 'typebox'
import { first, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { Currency, Day, nullable } from '#schema/fields.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import {
  assertStatusTransition,
  type Booking,
  type BookingStatus,
} from '#features/reservations/bookings/booking.ts'
import { parsePolicy, refundDue, refundShare } from './cancellation-policy.ts'

const Money = (description: string) =>
  nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64', description }))

/** What a cancellation would do to the payments of a booking. */
export const CancellationPreview = Type.Object(
  {
    refund_percent: Type.Number({ minimum: 0, maximum: 100, description: 'The share that is refunded.' }),
    free_until: { ...Day, description: 'The last day on which a guest gets everything back.' },
    currency: Currency,
    received_cents: Money('What was paid. Null without `payments:read`.'),
    refunded_cents: Money('What went back already. Null without `payments:read`.'),
    refund_cents: Money('What would go back now. Null without `payments:read`.'),
    open_cents: Money('Payments that were asked for, and would be cancelled. Null without `payments:read`.'),
  },
  { title: 'CancellationPreview' },
)
export type CancellationPreview = Static<typeof CancellationPreview>

interface Payment {
  readonly status: string
  readonly amount: number
  readonly amount_received: number
  readonly amount_refunded: number
  readonly is_disputed: boolean
}

/** Calculates as a cancellation of now would. @throws NotFound, Conflict when it cannot be cancelled */
export async function previewCancellation(
  scope: Scope,
  id: string,
  cancellationReason: Booking['cancellationReason'],
  showsPayments: boolean,
): Promise<CancellationPreview> {
  const booking = await findCancellable(scope, id)
  if (!booking) throw new NotFound('booking', id)
  assertStatusTransition(booking.status, 'cancelled')
  const policy = parsePolicy(booking.settings)
  const { days_before: daysBefore, currency, arrival, payments } = booking
  const percent = refundShare(policy, { status: 'cancelled', cancellationReason, daysBefore })
  const paid = payments.filter(({ status }) => status === 'succeeded')
  const open = payments.filter(({ status }) => status !== 'succeeded' && status !== 'canceled')
  const sum = (list: readonly Payment[], amountOf: (payment: Payment) => number) =>
    showsPayments ? list.reduce((total, payment) => total + amountOf(payment), 0) : null
  return {
    refund_percent: percent,
    free_until: dateOf(nightOf(arrival) - policy.freeUntilDays),
    currency,
    received_cents: sum(paid, ({ amount_received }) => amount_received),
    refunded_cents: sum(paid, ({ amount_refunded }) => amount_refunded),
    refund_cents: sum(paid, (payment) => (payment.is_disputed ? 0 : refundDue(payment, currency, percent))),
    open_cents: sum(open, ({ amount }) => amount),
  }
}

const findCancellable = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{
      status: BookingStatus
      currency: string
      arrival: string
      days_before: number
      settings: unknown
      payments: Payment[]
    }>`
      select
        booking.status,
        booking.currency,
        booking.arrival,
        booking.arrival - (now() at time zone space.timezone)::date as days_before,
        organization.settings,
        coalesce(
          (
            select json_agg(json_build_object(
              'status', intent.status, 'amount', intent.amount, 'amount_received', intent.amount_received,
              'amount_refunded', intent.amount_refunded,
              'is_disputed', coalesce(intent.dispute ->> 'status' = 'open', false)
            ))
            from payment_intents intent
            where intent.org_id = booking.org_id and intent.booking_id = booking.id
          ),
          '[]'
        ) as payments
      from bookings booking
      join units unit on unit.org_id = booking.org_id and unit.id = booking.unit_id
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      join organizations organization on organization.id = booking.org_id
      where booking.org_id = ${scope.orgId} and booking.id = ${id} and booking.deleted_at is null`,
  )
