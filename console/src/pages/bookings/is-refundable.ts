import type { contract } from '@vacancy/client'

type Payment = Pick<contract.PaymentIntent, 'amount_received' | 'amount_refunded' | 'dispute'>

/** Whether something is left to refund. The provider rejects it while the bank decides a dispute. */
export const isRefundable = ({ amount_received, amount_refunded, dispute }: Payment) =>
  amount_received > amount_refunded && dispute?.status !== 'open'
