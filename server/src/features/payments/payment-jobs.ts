import { job } from '#queue/job.ts'

/** Brings a payment and the provider to the same state: opened, captured or cancelled there, looked up here. */
export const SettlePayment = job<{ intentId: string }>({
  name: 'settle-payment',
  queue: 'payments',
  key: ({ intentId }) => intentId,
})

/** Asks the provider to give money back. */
export const SendRefund = job<{ refundId: string }>({
  name: 'send-refund',
  queue: 'payments',
  key: ({ refundId }) => refundId,
})
