import { job } from '#queue/job.ts'

/** Opens, captures or cancels a payment at the provider as requested, and reads its state. */
export const SettlePayment = job<{ intentId: string }>({
  name: 'settle-payment',
  queue: 'payments',
  key: ({ intentId }) => intentId,
})

/** Requests a refund from the provider. */
export const SendRefund = job<{ refundId: string }>({
  name: 'send-refund',
  queue: 'payments',
  key: ({ refundId }) => refundId,
})

const firstMs = 1_000
const longestMs = 600_000

/** Exponential back-off with jitter, up to ten minutes. */
export const retryDelayMs = (attempts: number): number =>
  Math.ceil((0.5 + Math.random() / 2) * Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), longestMs))
