import { sql } from '#db/sql.ts'
import { first, type Transaction } from '#db/scope.ts'
import { enqueue, job } from '#queue/job.ts'
import type { Payments } from '#integrations/payments/payments.ts'
import { closeFailedRefundAlerts } from './failed-refund-alert.ts'
import { findNoticedPayment } from './noticed-payment.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  forEachRow,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** Opens, captures or cancels a payment at the provider as requested, and reads its state. */
export const SettlePayment = job<{ intentId: string }>({
  name: 'settle-payment',
  queue: 'payments',
  key: ({ intentId }) => intentId,
})

/** Requests a refund from the provider. */
export const SendRefund = job<{ refundId: string }>({
  name: 'send-refund',
  queue: 'payments',
  key: ({ refundId }) => refundId,
})

const firstMs = 1_000
const maxWaitMs = 600_000

/** Exponential back-off with jitter, up to ten minutes. */
export const retryDelayMs = (attempts: number): number =>
  Math.ceil((0.5 + Math.random() / 2) * Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), maxWaitMs))

/** The provider forgets idempotency keys after a day. From then on, what it has is looked for before it is requested. */
export const mayKeyBeForgotten = (createdAt: string): boolean =>
  Date.now() - Date.parse(createdAt) > keyLifeMs
const keyLifeMs = 23 * 3_600_000

export const paymentSchedule = (payments: Payments): readonly PeriodicTask[] => [
  { name: 'requeue-overdue-payments', intervalMs: 15_000, run: requeueOverduePayments },
  {
    name: 'find-missed-reversals',
    intervalMs: 900_000,
    run: (context) => findMissedReversals(context, payments),
  },
  { name: 'close-failed-refund-alerts', intervalMs: 3_600_000, run: closeFailedRefundAlerts },
]

interface OverduePayment {
  org_id: string
  payment_intent_id: string
  payment_refund_id: string | null
}

/** Asks the provider about payments and refunds that it has not reported on in time. Returns their number. */
export async function requeueOverduePayments(context: TaskContext): Promise<number> {
  const overdue = await findInAllOrganizations(
    context,
    sql<OverduePayment>`select * from payments_to_settle(interval '15 seconds')`,
  )
  const { refunds = [], payments = [] } = Object.groupBy(overdue, ({ payment_refund_id }) =>
    payment_refund_id === null ? 'payments' : 'refunds',
  )
  await enqueueForEach(context, SendRefund, refunds, (row) => ({ refundId: row.payment_refund_id! }))
  await enqueueForEach(context, SettlePayment, payments, (row) => ({ intentId: row.payment_intent_id }))
  return overdue.length
}

/**
 * A payment is disputed and refunded after it has ended, so that only the lists of the provider tell of a missed notice, and
 * of a refund that a restored database lacks.
 */
export async function findMissedReversals(context: TaskContext, payments: Payments): Promise<void> {
  if (!payments.isConfigured) return
  const call = { traceparent: null }
  const reversed = [
    ...(await payments.listDisputed(daysAgo(30), call)),
    ...(await payments.listRefunded(daysAgo(3), call)),
  ]
  const found = await Promise.all(
    reversed.map(async ({ reference, at }) => {
      const payment = await findNoticedPayment(context.database, { ourId: null, reference })
      return payment ? [{ ...payment, at }] : []
    }),
  )
  await forEachRow(context, found.flat(), async (transaction, { payment_intent_id: intentId, at }) => {
    if (await wasReadSince(transaction, intentId, at)) return
    await enqueue(transaction, SettlePayment, [{ payload: { intentId } }])
  })
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

/** With five minutes to spare, because the clock of the provider may differ. */
const wasReadSince = async (transaction: Transaction, intentId: string, at: Date): Promise<boolean> =>
  (await first(
    transaction,
    sql`
      select 1
      from payment_intents
      where org_id = ${transaction.orgId}
        and id = ${intentId}
        and seen_at > ${at.toISOString()}::timestamptz + interval '5 minutes'`,
  )) !== undefined
