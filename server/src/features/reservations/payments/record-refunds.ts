import type { Transaction } from '#db/scope.ts'
import type { ProviderRefund } from '#integrations/payments/payments.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { updateFailedRefundAlert } from './failed-refund-alert.ts'
import { updateRefundedAmount, saveProviderRefund, type SavedRefund } from './refund-queries.ts'

/** Saves the refunds of a locked payment as the provider has them. */
export async function saveProviderRefunds(
  transaction: Transaction,
  intentId: string,
  intent: { account_id: string; currency: string },
  refunds: readonly ProviderRefund[],
): Promise<void> {
  const changed: SavedRefund[] = []
  for (const refund of refunds) {
    const saved = await saveProviderRefund(transaction, intentId, intent, refund)
    if (saved) changed.push(saved)
  }
  if (refunds.length === 0) return
  await updateRefundedAmount(transaction, intentId)
  const changedTo = (status: string) =>
    changed.filter((refund) => refund.status === status && refund.previous_status !== status)
  if (changed.length > 0) await updateFailedRefundAlert(transaction, intentId, changedTo('failed').length > 0)
  await recordEvents(
    transaction,
    changedTo('succeeded').map(({ json }) => ({
      type: 'payment.refunded' as const,
      accountId: intent.account_id,
      subjectId: intentId,
      data: { refund: JSON.parse(json) as object },
    })),
  )
}
