import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError } from '#errors.ts'
import { isFinal, type IntentStatus } from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { SettlePayment } from './jobs.ts'
import { lockIntent } from './queries.ts'

/** Requests the capture or the cancellation of a payment. @throws NotFound, Conflict, Invalid */
export const requestAction = (
  scope: Scope,
  id: string,
  requested: 'capture' | 'cancel',
  amount: number | null = null,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const intent = await lockIntent(transaction, id)
    if (intent.status === 'canceled' && requested === 'cancel') return
    if (intent.requested === 'cancel' ? requested === 'capture' : !isAllowed(intent.status, requested))
      throw new Conflict(
        'invalid-status-transition',
        `A payment that is ${intent.status} cannot be ${requested === 'cancel' ? 'cancelled' : 'captured'}.`,
      )
    if (amount !== null && amount > intent.amount)
      throw semanticError('amount', `amount must be at most ${intent.amount}.`, 'too_big')
    await saveRequest(transaction, [id], requested, amount)
  })

const isAllowed = (status: IntentStatus, requested: 'capture' | 'cancel') =>
  requested === 'capture' ? status === 'requires_capture' : !isFinal(status) && status !== 'processing'

export async function saveRequest(
  transaction: Transaction,
  ids: readonly string[],
  requested: 'capture' | 'cancel',
  amount: number | null = null,
): Promise<void> {
  await rows(
    transaction,
    sql`
      update payment_intents
      set requested = ${requested},
        capture_amount = ${amount},
        version = version + 1,
        next_attempt_at = now() + interval '1 minute',
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = any(${ids}::uuid[])
        and (requested is distinct from ${requested} or capture_amount is distinct from ${amount}::bigint)`,
  )
  await enqueue(
    transaction,
    SettlePayment,
    ids.map((intentId) => ({ payload: { intentId } })),
  )
}
