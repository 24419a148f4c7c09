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

/** What was received and kept in a currency, and what was asked for in it and is not paid yet. */
export const sumsOf = (payments: readonly SummedPayment[], currency: string) => {
  const summed = payments.filter((payment) => payment.currency === currency)
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  const open = summed.filter(({ status }) => status !== 'succeeded' && status !== 'canceled')
  return {
    paid: sum(summed.map(({ amount_received, amount_refunded }) => amount_received - amount_refunded)),
    open: sum(open.map(({ amount }) => amount)),
  }
}

type SummedPayment = Pick<
  contract.PaymentIntent,
  'amount' | 'amount_received' | 'amount_refunded' | 'currency' | 'status'
>
