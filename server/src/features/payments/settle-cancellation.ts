import { atomically, type Scope } from '#db/scope.ts'
import { isFinal } from '#outside/payments/payments-states.ts'
import { policyIn, refundShare, shareOf } from './cancellation-policy.ts'
import { findEnded, lockPaymentsOf } from './cancellation-queries.ts'
import { markRequested } from './queries.ts'
import { addRefund } from './refund-queries.ts'

/** After a booking has ended before its time: what is open is let go, what was paid goes back as the policy says. */
export const settleCancellation = (scope: Scope, bookingId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const ended = await findEnded(transaction, bookingId)
    if (!ended) return
    const { status, reason: cancellationReason, days_before: daysBefore, settings } = ended
    const percent = refundShare(policyIn(settings), { status, cancellationReason, daysBefore })
    const payments = await lockPaymentsOf(transaction, bookingId)
    const open = payments.filter((one) => !isFinal(one.status))
    await markRequested(
      transaction,
      open.map(({ id }) => id),
      'cancel',
    )
    for (const payment of payments) {
      const due = shareOf(payment.amount_received, percent) - payment.amount_refunded
      if (payment.status === 'succeeded' && !payment.is_paid_back && due > 0)
        await addRefund(transaction, payment, due, 'cancellation')
    }
  })
