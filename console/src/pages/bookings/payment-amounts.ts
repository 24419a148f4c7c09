import type { contract } from '@vacancy/client'

type Payment = Pick<contract.PaymentIntent, 'amount_received' | 'amount_refunded' | 'dispute'>

/** Whether something is left to refund. The provider rejects it while the bank decides a dispute. */
export const isRefundable = ({ amount_received, amount_refunded, dispute }: Payment) =>
  amount_received > amount_refunded && dispute?.status !== 'open'

/** What was received, which is less than what was asked for when a part of it was taken; before, what was asked for. */
export const amountOf = ({
  amount,
  amount_received,
}: Pick<contract.PaymentIntent, 'amount' | 'amount_received'>) => amount_received || amount
