import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { isFinal } from '#integrations/payments/payments.ts'
import { refundDue } from './cancellation-policy.ts'
import { getEndedBooking } from './ended-booking.ts'
import type { LockedIntent } from './queries.ts'
import { saveRequest } from './request-action.ts'
import { insertRefund } from './refund-queries.ts'

/** Cancels the open payments of a booking that ended before its stay, and refunds the others by the policy. */
export const settleCancellation = (scope: Scope, bookingId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const ended = await getEndedBooking(transaction, bookingId)
    if (!ended) return
    const payments = await lockPayments(transaction, bookingId, ended.at)
    const open = payments.filter((payment) => !isFinal(payment.status))
    await saveRequest(
      transaction,
      open.map(({ id }) => id),
      'cancel',
    )
    for (const payment of payments) {
      const due = refundDue(payment, payment.currency, ended.percent)
      if (
        payment.status === 'succeeded' &&
        !payment.has_refund &&
        payment.dispute?.status !== 'open' &&
        due > 0
      )
        await insertRefund(transaction, payment, due, 'cancellation')
    }
  })

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
