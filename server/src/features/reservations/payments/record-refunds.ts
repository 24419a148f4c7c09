import type { Transaction } from '#db/scope.ts'
import type { ProviderRefund } from '#integrations/payments/payments.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { updateRefundedAmount, saveProviderRefund } from './refund-queries.ts'

/** Saves the refunds of a locked payment as the provider has them. Returns the payment if it changed. */
export async function saveProviderRefunds(
  transaction: Transaction,
  intentId: string,
  intent: { account_id: string; currency: string },
  refunds: readonly ProviderRefund[],
): Promise<string | undefined> {
  const succeeded: object[] = []
  for (const refund of refunds) {
    const saved = await saveProviderRefund(transaction, intentId, intent, refund)
    if (saved?.status === 'succeeded' && saved.previous_status !== 'succeeded')
      succeeded.push(JSON.parse(saved.json) as object)
  }
  if (refunds.length === 0) return undefined
  const updated = await updateRefundedAmount(transaction, intentId)
  await recordEvents(
    transaction,
    succeeded.map((refund) => ({
      type: 'payment.refunded' as const,
      accountId: intent.account_id,
      subjectId: intentId,
      data: { refund },
    })),
  )
  return updated?.json
}
