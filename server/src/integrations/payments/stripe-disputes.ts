import type Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'
import type { ProviderDispute } from './payments.ts'
import { fromStripeAmount } from './stripe-amounts.ts'
import { toCode } from './stripe-failures.ts'

/** The money is still here during an inquiry, whose statuses are warnings. Unknown statuses count as open. */
const statuses: Partial<Record<string, ProviderDispute['status']>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'won',
  prevented: 'won',
  won: 'won',
  lost: 'lost',
}

/** @throws PaymentsFailure when the response is not a dispute */
export function toProviderDispute(dispute: Stripe.Dispute): ProviderDispute {
  const { id, amount, currency, reason, status, evidence_details: evidence } = dispute
  if (typeof id !== 'string' || !Number.isSafeInteger(amount) || typeof status !== 'string')
    throw new PaymentsFailure('unreachable', 'The response of the provider is not a dispute.')
  const dueBy = status.endsWith('needs_response') ? evidence?.due_by : null
  return {
    reference: id,
    status: statuses[status] ?? 'open',
    amount: fromStripeAmount(amount, currency),
    reason: toCode(reason ?? 'general'),
    // 0 when the bank accepts no response.
    respondBy: dueBy ? new Date(dueBy * 1_000) : null,
  }
}
