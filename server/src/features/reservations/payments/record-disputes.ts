import { isDeepStrictEqual } from 'node:util'
import { sql } from '#db/sql.ts'
import { first, type Transaction } from '#db/scope.ts'
import type { DisputeStatus, ProviderDispute, ProviderRefund } from '#integrations/payments/payments.ts'
import type { Dispute } from './dispute.ts'
import { updateDisputeAlert } from './dispute-alert.ts'
import { updateFailedRefundAlert } from './failed-refund-alert.ts'
import { saveProviderRefund, updateRefundedAmount } from './refund-queries.ts'

/** A bank that asks has taken nothing, and one that decides against the guest gives back what it took. */
const refundStatus: Record<DisputeStatus, ProviderRefund['status']> = {
  inquiry: 'canceled',
  open: 'pending',
  lost: 'succeeded',
  won: 'canceled',
}

/** Saves the disputes of a locked payment as the provider has them, and the one it shows: what the bank took is a refund. */
export async function saveProviderDisputes(
  transaction: Transaction,
  intentId: string,
  intent: { account_id: string; currency: string; dispute: Dispute | null },
  disputes: readonly ProviderDispute[],
  dispute: Dispute | null,
): Promise<void> {
  if (disputes.length === 0) return
  for (const { reference, amount, status } of disputes) {
    const taken = { reference, amount, status: refundStatus[status], ourId: null, failureCode: null }
    await saveProviderRefund(transaction, intentId, intent, taken, 'dispute')
  }
  if (!isDeepStrictEqual(dispute, intent.dispute)) await saveDispute(transaction, intentId, dispute)
  await updateRefundedAmount(transaction, intentId)
  await updateFailedRefundAlert(transaction, intentId, false)
  await updateDisputeAlert(transaction, intentId)
}

const saveDispute = (transaction: Transaction, intentId: string, dispute: Dispute | null) =>
  first(
    transaction,
    sql`
      update payment_intents
      set dispute = ${JSON.stringify(dispute)}::jsonb,
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId} and id = ${intentId}`,
  )
