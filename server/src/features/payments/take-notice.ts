import { atomically, type Scope } from '#db/scope.ts'
import type { Notice } from '#outside/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { keepNotice, ownerOf } from './notice-queries.ts'
import { SettlePayment } from './payment-jobs.ts'

/**
 * Takes a notice that was believed: kept with its job, in one transaction. What it says is not applied, the provider is
 * asked instead, so copies and any order of notices end alike.
 */
export async function takeNotice(
  stock: Pick<Scope, 'database' | 'outbox' | 'traceparent'>,
  notice: Notice,
): Promise<void> {
  const owner = await ownerOf(stock.database, notice)
  if (!owner) return
  const actor = { type: 'system', id: 'payments', name: 'Payment provider' } as const
  await atomically({ ...stock, orgId: owner.org_id, accountId: null, actor }, async (transaction) => {
    if (await keepNotice(transaction, owner.payment_intent_id, notice))
      await enqueue(transaction, SettlePayment, [{ payload: { intentId: owner.payment_intent_id } }])
  })
}
