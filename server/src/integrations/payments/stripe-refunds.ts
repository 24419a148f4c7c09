import type Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'
import type { ProviderRefund } from './payments.ts'
import { fromStripeAmount } from './stripe-amounts.ts'
import { toCode } from './stripe-failures.ts'

const refundStatuses = ['pending', 'succeeded', 'failed', 'canceled'] as const

/** @throws PaymentsFailure when the response is not a refund */
export function toProviderRefund({
  id,
  amount,
  currency,
  status,
  metadata,
  failure_reason,
}: Stripe.Refund): ProviderRefund {
  if (typeof id !== 'string' || !Number.isSafeInteger(amount))
    throw new PaymentsFailure('unreachable', 'The response of the provider is not a refund.')
  return {
    reference: id,
    ourId: metadata?.['payment_refund_id'] ?? null,
    amount: fromStripeAmount(amount, currency),
    // `requires_action`, when the guest must do something, counts as pending.
    status: refundStatuses.find((one) => one === status) ?? 'pending',
    failureCode: failure_reason ? toCode(failure_reason) : null,
  }
}
