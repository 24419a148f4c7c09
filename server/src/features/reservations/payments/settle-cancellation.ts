import { sql, type NotNull } from '#db/sql.ts'
import { atomically, type Scope, first, rows, type Transaction } from '#db/scope.ts'
import { isFinal } from '#integrations/payments/payments.ts'
import { parsePolicy, refundDue, refundShare } from './cancellation-policy.ts'
import type { LockedIntent } from './queries.ts'
import { saveRequest } from './request-action.ts'
import { insertRefund } from './refund-queries.ts'

/** Cancels the open payments of a booking that ended before its stay, and refunds the others by the policy. */
export const settleCancellation = (scope: Scope, bookingId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const ended = await getEndedBooking(transaction, bookingId)
    if (!ended) return
    const { status, reason: cancellationReason, days_before: daysBefore, settings } = ended
    const percent = refundShare(parsePolicy(settings), { status, cancellationReason, daysBefore })
    const payments = await lockPayments(transaction, bookingId, ended.ended_at)
    const open = payments.filter((payment) => !isFinal(payment.status))
    await saveRequest(
      transaction,
      open.map(({ id }) => id),
      'cancel',
    )
    for (const payment of payments) {
      const due = refundDue(payment, payment.currency, percent)
      if (
        payment.status === 'succeeded' &&
        !payment.has_refund &&
        payment.dispute?.status !== 'open' &&
        due > 0
      )
        await insertRefund(transaction, payment, due, 'cancellation')
    }
  })

/** A booking that ended before its stay or was deleted, with the settings of its organization; otherwise undefined. */
const getEndedBooking = (transaction: Transaction, bookingId: string) =>
  first(
    transaction,
    sql<{
      status: string
      reason: string | null
      ended_at: NotNull<string>
      days_before: number
      settings: unknown
    }>`
      select
        case
          when booking.deleted_at is not null and booking.status in ('pending', 'confirmed', 'checked_in')
          then 'cancelled'
          else booking.status end as status,
        booking.cancellation_reason as reason,
        ended.at::text as ended_at,
        organization.settings,
        lower(booking.nights) - (ended.at at time zone space.timezone)::date as days_before
      from bookings booking
      cross join lateral (
        select coalesce(booking.cancelled_at, booking.deleted_at, booking.updated_at) as at) ended
      join units unit
        on unit.org_id = booking.org_id
        and unit.id = booking.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      join organizations organization
        on organization.id = booking.org_id
      where booking.org_id = ${transaction.orgId}
        and booking.id = ${bookingId}
        and (booking.status in ('cancelled', 'declined', 'expired') or booking.deleted_at is not null)`,
  )

/** Locks the payments of a booking. A booking that a PMS reinstated has refunds of an earlier cancellation. */
const lockPayments = (transaction: Transaction, bookingId: string, endedAt: string) =>
  rows(
    transaction,
    sql<LockedIntent & { has_refund: boolean }>`
      select intent.id, intent.account_id, intent.booking_id, intent.amount, intent.currency, intent.status,
        intent.requested, intent.amount_received, intent.amount_refunded, intent.dispute,
        exists (
          select 1
          from payment_refunds refund
          where refund.org_id = intent.org_id
            and refund.payment_intent_id = intent.id
            and refund.reason = 'cancellation'
            and refund.created_at >= ${endedAt}::timestamptz
            and refund.status in ('pending', 'succeeded')) as has_refund
      from payment_intents intent
      where intent.org_id = ${transaction.orgId}
        and intent.booking_id = ${bookingId}
      order by intent.id
      for update of intent`,
  )
