import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { PaymentsFailure } from '#outside/payments/payments-failure.ts'
import type { Payments, RefundTruth } from '#outside/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { SettlePayment } from './payment-jobs.ts'
import { lockIntent } from './queries.ts'
import { recordRefunds } from './record-refunds.ts'
import { claimRefund, countRefunds, failRefund, putOffRefund, type ClaimedRefund } from './refund-queries.ts'
import { waitBefore } from './waits.ts'

/** Asks the provider to give money back; however often, once. */
export async function sendRefund(scope: Scope, payments: Payments, refundId: string): Promise<void> {
  const refund = await claimRefund(scope, refundId)
  if (!refund) return
  try {
    const truth = (await madeBefore(scope, payments, refund)) ?? (await make(scope, payments, refund))
    await atomically(scope, async (transaction) => {
      const intent = await lockIntent(transaction, refund.payment_intent_id)
      await recordRefunds(transaction, intent.id, intent, [truth])
    })
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    if (!error.passes) return await giveUp(scope, refund, error)
    if (error.code === 'not_accepted')
      events.paymentsRefused({ orgId: scope.orgId, intentId: refund.payment_intent_id, code: error.code })
    const waitMs = error.retryAfterMs ?? waitBefore(refund.attempts)
    await putOffRefund(scope, refundId, waitMs, error.code === 'spent_key')
  }
}

/** What an attempt before may have made is looked for first: keys are forgotten after a day, money is not. */
async function madeBefore(
  scope: Scope,
  payments: Payments,
  refund: ClaimedRefund,
): Promise<RefundTruth | undefined> {
  if (refund.attempts === 1) return undefined
  const { refunds } = await payments.find(refund.intent_reference, { traceparent: scope.traceparent })
  return refunds.find(
    ({ ourId, reference }) => ourId === refund.id || reference === refund.provider_reference,
  )
}

const make = (
  { orgId, traceparent }: Scope,
  payments: Payments,
  refund: ClaimedRefund,
): Promise<RefundTruth> => {
  const { id: ourId, intent_reference: reference, amount, currency, reason, key_number: number } = refund
  const key = number > 1 ? `${ourId}:${number}` : ourId
  return payments.refund({ ourId, orgId, reference, amount, currency, reason }, key, { traceparent })
}

/** The provider says no: most likely it gave back already what we did not know of, so that is asked for. */
async function giveUp(scope: Scope, refund: ClaimedRefund, failure: PaymentsFailure): Promise<void> {
  await atomically(scope, async (transaction) => {
    await lockIntent(transaction, refund.payment_intent_id)
    if (!(await failRefund(transaction, refund.id, failure.reason ?? failure.code))) return
    await countRefunds(transaction, refund.payment_intent_id)
    await enqueue(transaction, SettlePayment, [{ payload: { intentId: refund.payment_intent_id } }])
  })
  events.refundRefused({ orgId: scope.orgId, refundId: refund.id, code: failure.reason ?? failure.code })
}
