import type { Transaction } from '#db/scope.ts'
import type { RefundTruth } from '#outside/payments/payments.ts'
import { recordEvents } from '../events/record-events.ts'
import { countRefunds, writeRefund } from './refund-queries.ts'

/** Applies what the provider says of the refunds of a payment that is locked; the payment anew, if that changed it. */
export async function recordRefunds(
  transaction: Transaction,
  intentId: string,
  intent: { account_id: string; currency: string },
  refunds: readonly RefundTruth[],
): Promise<string | undefined> {
  const refunded: object[] = []
  for (const truth of refunds) {
    const written = await writeRefund(transaction, intentId, intent, truth)
    if (written?.status === 'succeeded' && written.before !== 'succeeded')
      refunded.push(JSON.parse(written.json) as object)
  }
  if (refunds.length === 0) return undefined
  const counted = await countRefunds(transaction, intentId)
  await recordEvents(
    transaction,
    refunded.map((refund) => ({
      type: 'payment.refunded' as const,
      accountId: intent.account_id,
      subjectId: intentId,
      data: { refund },
    })),
  )
  return counted?.json
}
