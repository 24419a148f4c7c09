import type { contract } from '@vacancy/client'

import { oneOf, readSearch } from '../../components/read-search.ts'

export const paymentStatuses = [
  'requires_payment_method',
  'processing',
  'requires_capture',
  'succeeded',
  'canceled',
] as const satisfies readonly contract.PaymentIntent['status'][]
export const refundStatuses = [
  'pending',
  'succeeded',
  'failed',
  'canceled',
] as const satisfies readonly contract.PaymentRefund['status'][]

/** Which entries of the ledger are shown. */
export const readLedgerFilter = readSearch({
  view: oneOf(['refunds'] as const),
  status: oneOf(paymentStatuses),
  refund: oneOf(refundStatuses),
})

export type LedgerFilter = ReturnType<typeof readLedgerFilter>
