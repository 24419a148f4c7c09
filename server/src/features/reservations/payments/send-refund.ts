import { sql } from '#db/sql.ts'
import { atomically, first, type Scope } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { PaymentsFailure } from '#integrations/payments/payments-failure.ts'
import type { Payments, ProviderRefund } from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { updateFailedRefundAlert } from './failed-refund-alert.ts'
import { SettlePayment, retryDelayMs } from './jobs.ts'
import { lockIntent } from './queries.ts'
import { saveProviderRefunds } from './record-refunds.ts'
import {
  claimRefund,
  updateRefundedAmount,
  failRefund,
  postponeRefund,
  wasReported,
  type ClaimedRefund,
} from './refund-queries.ts'

/** Requests a refund from the provider. Repeating it does not refund twice. */
export async function sendRefund(scope: Scope, payments: Payments, refundId: string): Promise<void> {
  const refund = await claimRefund(scope, refundId)
  if (!refund) return
  try {
    const providerRefund =
      (await findEarlierRefund(scope, payments, refund)) ?? (await requestRefund(scope, payments, refund))
    await atomically(scope, async (transaction) => {
      const intent = await lockIntent(transaction, refund.payment_intent_id)
      // It was read after the request, so that the response may be older.
      if (await wasReported(transaction, refund)) return
      await saveProviderRefunds(transaction, intent.id, intent, [providerRefund])
    })
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    if (!error.isRetryable) return await failRefundAndResync(scope, refund, error)
    if (error.code === 'not_accepted')
      events.paymentProviderRejected({
        orgId: scope.orgId,
        intentId: refund.payment_intent_id,
        code: error.code,
      })
    const waitMs = error.retryAfterMs ?? retryDelayMs(refund.attempts)
    await postponeRefund(scope, refundId, waitMs, error.code === 'spent_key')
  }
}

/**
 * Looks for a refund that the provider has already. @throws PaymentsFailure when it has another one that is not known here,
 * as one that was made after the moment that the database was restored to: the same money must not be refunded twice.
 */
async function findEarlierRefund(
  scope: Scope,
  payments: Payments,
  refund: ClaimedRefund,
): Promise<ProviderRefund | undefined> {
  const { id, payment_intent_id, intent_reference, provider_reference } = refund
  const { refunds } = await payments.find(intent_reference, { traceparent: scope.traceparent })
  const earlier = refunds.find(({ ourId, reference }) => ourId === id || reference === provider_reference)
  if (!earlier && (await hasUnknownRefund(scope, payment_intent_id, refunds.filter(isEffective))))
    throw new PaymentsFailure('refused', 'The payment was refunded at the provider.', {
      reason: 'charge_already_refunded',
    })
  return earlier
}

const isEffective = ({ status }: ProviderRefund) => status === 'pending' || status === 'succeeded'

/** Whether one of these refunds of a payment has no record here. */
const hasUnknownRefund = async (
  scope: Scope,
  intentId: string,
  refunds: readonly Pick<ProviderRefund, 'reference' | 'ourId'>[],
) =>
  (await first(
    scope,
    sql`
      select 1
      from jsonb_to_recordset(${JSON.stringify(refunds)}::jsonb) as made (reference text, "ourId" text)
      where not exists (
        select 1
        from payment_refunds
        where org_id = ${scope.orgId}
          and payment_intent_id = ${intentId}
          and (provider_reference = made.reference or id::text = made."ourId"))`,
  )) !== undefined

const requestRefund = (
  { orgId, traceparent }: Scope,
  payments: Payments,
  refund: ClaimedRefund,
): Promise<ProviderRefund> => {
  const { id: ourId, intent_reference: reference, amount, currency, reason, key_number: number } = refund
  const key = number > 1 ? `${ourId}:${number}` : ourId
  return payments.refund({ ourId, orgId, reference, amount, currency, reason }, key, { traceparent })
}

/** The provider rejects: most likely it was refunded there, so the payment is read again. */
async function failRefundAndResync(
  scope: Scope,
  refund: ClaimedRefund,
  failure: PaymentsFailure,
): Promise<void> {
  await atomically(scope, async (transaction) => {
    await lockIntent(transaction, refund.payment_intent_id)
    if (!(await failRefund(transaction, refund.id, failure.reason ?? failure.code))) return
    await updateRefundedAmount(transaction, refund.payment_intent_id)
    await updateFailedRefundAlert(transaction, refund.payment_intent_id, true)
    await enqueue(transaction, SettlePayment, [{ payload: { intentId: refund.payment_intent_id } }])
  })
  events.refundRejected({ orgId: scope.orgId, refundId: refund.id, code: failure.reason ?? failure.code })
}
