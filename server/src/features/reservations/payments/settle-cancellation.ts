import { sql } from 'kysely'
import { atomically, type Scope, first, rows, type Transaction } from '#db/scope.ts'
import { isFinal } from '#integrations/payments/payments.ts'
import { parsePolicy, refundShare, percentOf } from './cancellation-policy.ts'
import { saveRequest, type LockedIntent } from './queries.ts'
import { insertRefund } from './refund-queries.ts'

/** Cancels the open payments of a booking that ended before its stay, and refunds the others by the policy. */
export const settleCancellation = (scope: Scope, bookingId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const ended = await getEndedBooking(transaction, bookingId)
    if (!ended) return
    const { status, reason: cancellationReason, days_before: daysBefore, settings } = ended
    const percent = refundShare(parsePolicy(settings), { status, cancellationReason, daysBefore })
    const payments = await lockPayments(transaction, bookingId)
    const open = payments.filter((payment) => !isFinal(payment.status))
    await saveRequest(
      transaction,
      open.map(({ id }) => id),
      'cancel',
    )
    for (const payment of payments) {
      const due = percentOf(payment.amount_received, percent) - payment.amount_refunded
      if (payment.status === 'succeeded' && !payment.has_refund && due > 0)
        await insertRefund(transaction, payment, due, 'cancellation')
    }
  })

/** A booking that ended before its stay or was deleted, with the settings of its organization; otherwise undefined. */
const getEndedBooking = (transaction: Transaction, bookingId: string) =>
  first(
    transaction,
    sql<{ status: string; reason: string | null; days_before: number; settings: unknown }>`
      select case when b.deleted_at is not null and b.status in ('pending', 'confirmed', 'checked_in') then 'cancelled'
          else b.status end as status, b.cancellation_reason as reason, o.settings,
        lower(b.nights) - (coalesce(b.cancelled_at, b.deleted_at, b.updated_at) at time zone s.timezone)::date as days_before
      from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id
        join spaces s on s.org_id = u.org_id and s.id = u.space_id
        join organizations o on o.id = b.org_id
      where b.org_id = ${transaction.orgId} and b.id = ${bookingId}
        and (b.status in ('cancelled', 'declined', 'expired') or b.deleted_at is not null)`,
  )

/** Locks the payments of a booking. */
const lockPayments = (transaction: Transaction, bookingId: string) =>
  rows(
    transaction,
    sql<
      LockedIntent & { has_refund: boolean }
    >`select p.id, p.account_id, p.booking_id, p.amount, p.currency, p.status,
        p.requested, p.amount_received, p.amount_refunded, exists (
          select 1 from payment_refunds r where r.org_id = p.org_id and r.payment_intent_id = p.id
            and r.reason = 'cancellation' and r.status in ('pending', 'succeeded')) as has_refund
      from payment_intents p where p.org_id = ${transaction.orgId} and p.booking_id = ${bookingId}
      order by p.id for update of p`,
  )
