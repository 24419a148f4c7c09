import { sql } from '#db/sql.ts'
import { atomically, type Scope, first, type Transaction } from '#db/scope.ts'
import type { PaymentEvent } from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { SettlePayment } from './jobs.ts'
import { findNoticedPayment } from './noticed-payment.ts'

/**
 * Stores a notice with a valid signature and enqueues its job, in one transaction. Its content is not applied: the job
 * reads the state from the provider, so copies and the order of notices do not matter.
 */
export async function receiveNotice(
  services: Pick<Scope, 'database' | 'traceparent'>,
  notice: PaymentEvent,
): Promise<void> {
  const payment = await findNoticedPayment(services.database, notice)
  if (!payment) return
  const actor = { type: 'system', id: 'payments', name: 'Payment provider' } as const
  await atomically({ ...services, orgId: payment.org_id, accountId: null, actor }, async (transaction) => {
    if (await insertNotice(transaction, payment.payment_intent_id, notice))
      await enqueue(transaction, SettlePayment, [{ payload: { intentId: payment.payment_intent_id } }])
  })
}

/** Returns false when the notice was received before. */
async function insertNotice(
  transaction: Transaction,
  intentId: string,
  { id, type, occurredAt }: PaymentEvent,
) {
  const inserted = await first(
    transaction,
    sql<{ copies: number }>`
      insert into payment_notices as notice (org_id, notice_id, payment_intent_id, type, occurred_at)
      values (${transaction.orgId}, ${id.slice(0, 255)}, ${intentId}, ${type.slice(0, 255)},
        ${occurredAt.toISOString()})
      on conflict (org_id, notice_id) do update
      set copies = notice.copies + 1
      returning copies`,
  )
  return inserted!.copies === 1
}
