import type Stripe from 'stripe'
import type { ReversedPayment } from './payments.ts'

export const createdSince = (since: Date) => ({
  created: { gte: Math.floor(since.getTime() / 1_000) },
  limit: 100,
})

/** The payments of refunds or disputes. */
export async function listPayments(
  reversals: AsyncIterable<Pick<Stripe.Refund | Stripe.Dispute, 'payment_intent' | 'created'>>,
): Promise<ReversedPayment[]> {
  const found: ReversedPayment[] = []
  for await (const { payment_intent: intent, created } of reversals) {
    const reference = typeof intent === 'string' ? intent : intent?.id
    if (reference) found.push({ reference, at: new Date(created * 1_000) })
  }
  return found
}
