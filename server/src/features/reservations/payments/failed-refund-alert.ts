import { isDeepStrictEqual } from 'node:util'
import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { formatMoney } from '#schema/money.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { alertedUnits, lockPaymentAlerts } from './alerted-units.ts'
import { findInAllOrganizations, forEachOrganization, type TaskContext } from '#queue/periodic-task.ts'

/**
 * Keeps one alert for each unit with refunds that failed and were not replaced. It is called after each change of the
 * refunds of a payment; `hasFailed` tells that the change is a failure, which is notified each time.
 */
export async function updateFailedRefundAlert(
  transaction: Transaction,
  intentId: string,
  hasFailed: boolean,
): Promise<void> {
  await lockPaymentAlerts(transaction)
  const units = await listFailedRefunds(transaction, intentId)
  for (const { unit_id: unitId, refunds, alerted } of units) {
    const [latest, ...others] = refunds
    if (!latest) {
      await resolveAlerts(transaction, 'refund.failed', { targetId: null, unitId })
      continue
    }
    const named = refunds.map(({ account_id: _account, arrival: _arrival, ...refund }): NamedRefund => refund)
    if (!hasFailed && isDeepStrictEqual(named, alerted)) continue
    const { account_id, amount, currency, arrival, failure_code } = latest
    const reason = failure_code === null ? '' : ` (${failure_code.replaceAll('_', ' ')})`
    const more = others.length > 0 ? ` So did other refunds of the unit: ${others.length}.` : ''
    await raiseAlerts(transaction, [
      {
        account_id,
        kind: 'refund.failed',
        unit_id: unitId,
        message: `A refund of ${formatMoney(amount, currency)} for the stay from ${arrival} failed${reason}.${more}`,
        hint: 'Refund the payment again, or pay the guest in another way. A later refund closes the alert, else it closes after 30 days.',
        details: { refunds: named },
        isNewCase: hasFailed,
      },
    ])
  }
}

interface NamedRefund {
  readonly id: string
  readonly payment_intent_id: string
  readonly booking_id: string
  readonly amount: number
  readonly currency: string
  readonly failure_code: string | null
}

interface FailedRefund extends NamedRefund {
  readonly account_id: string
  readonly arrival: string
}

/**
 * The unit of the payment, and those with an alert about it, because the stay may have moved: each with its refunds that
 * failed in the last 30 days, unless nothing is left to refund or later refunds add up to their amount, and with those that
 * its alert names. Latest first.
 */
const listFailedRefunds = (transaction: Transaction, intentId: string) =>
  rows(
    transaction,
    sql<{ unit_id: string; refunds: FailedRefund[]; alerted: NamedRefund[] }>`
      select affected.unit_id, affected.alerted, coalesce(failed.refunds, '[]') as refunds
      from (${alertedUnits(transaction, intentId, 'refund.failed', 'refunds')}) affected
      cross join lateral (
        select jsonb_agg(
          jsonb_build_object('id', refund.id, 'account_id', refund.account_id,
            'payment_intent_id', refund.payment_intent_id, 'booking_id', booking.id, 'arrival', booking.arrival,
            'amount', refund.amount, 'currency', refund.currency, 'failure_code', refund.failure_code)
          order by refund.updated_at desc) as refunds
        from payment_refunds refund
        join payment_intents intent on intent.org_id = refund.org_id and intent.id = refund.payment_intent_id
        join bookings booking on booking.org_id = intent.org_id and booking.id = intent.booking_id
        where refund.org_id = ${transaction.orgId}
          and refund.status = 'failed'
          and refund.updated_at > now() - interval '30 days'
          and booking.unit_id = affected.unit_id
          and intent.amount_refunded < intent.amount_received
          and refund.amount > (
            select coalesce(sum(later.amount), 0)
            from payment_refunds later
            where later.org_id = refund.org_id
              and later.payment_intent_id = refund.payment_intent_id
              and later.created_at >= refund.updated_at
              and later.status in ('pending', 'succeeded'))) failed`,
  )

/** Closes alerts without another failure for 30 days: the guests may have been paid in another way. */
export async function closeFailedRefundAlerts(context: TaskContext): Promise<void> {
  const old = await findInAllOrganizations(
    context,
    sql<{ org_id: string; unit_id: string }>`select * from refund_alerts_to_close(interval '30 days')`,
  )
  await forEachOrganization(context, old, async (transaction, alerts) => {
    for (const { unit_id: unitId } of alerts)
      await resolveAlerts(transaction, 'refund.failed', { targetId: null, unitId })
  })
}
