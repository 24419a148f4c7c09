import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { enqueue, job } from '#queue/job.ts'
import type { Payments } from '#integrations/payments/payments.ts'
import { closeFailedRefundAlerts } from './failed-refund-alert.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  forEachOrganization,
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
export const mayKeyBeForgotten = (ageSeconds: number): boolean => ageSeconds > keyLifeSeconds
const keyLifeSeconds = 23 * 3_600

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
  const found = await findInAllOrganizations(
    context,
    sql<ReversedIntent>`
      select payment.org_id, payment.payment_intent_id, reversed.at
      from jsonb_to_recordset(${JSON.stringify(reversed)}::jsonb) as reversed (reference text, at timestamptz)
      cross join lateral payment_intent_named(null, reversed.reference) payment`,
  )
  await forEachOrganization(context, found, async (transaction, intents) => {
    const unread = await listUnread(transaction, intents)
    await enqueue(
      transaction,
      SettlePayment,
      unread.map(({ id }) => ({ payload: { intentId: id } })),
    )
  })
}

interface ReversedIntent {
  readonly org_id: string
  readonly payment_intent_id: string
  readonly at: string
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

/** Those that were not read since, with five minutes to spare, because the clock of the provider may differ. */
const listUnread = (transaction: Transaction, intents: readonly ReversedIntent[]) =>
  rows(
    transaction,
    sql<{ id: string }>`
      select distinct intent.id
      from jsonb_to_recordset(${JSON.stringify(intents)}::jsonb) as reversed (payment_intent_id uuid, at timestamptz)
      join payment_intents intent
        on intent.org_id = ${transaction.orgId}
        and intent.id = reversed.payment_intent_id
      where coalesce(intent.seen_at <= reversed.at + interval '5 minutes', true)`,
  )
