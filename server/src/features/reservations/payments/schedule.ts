import { sql } from 'kysely'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { SendRefund, SettlePayment } from './jobs.ts'

export const paymentSchedule: readonly PeriodicTask[] = [
  { name: 'requeue-overdue-payments', intervalMs: 15_000, run: requeueOverduePayments },
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
