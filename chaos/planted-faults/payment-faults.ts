import type { Fault } from './fault.ts'

const stripe = 'server/src/integrations/payments/stripe-payments.ts'
const payments = 'server/src/features/reservations/payments/'

/** Money that moves twice, or for a forged notice. */
export const paymentFaults: readonly Fault[] = [
  {
    name: 'payment-without-key',
    means: 'The response of the provider is lost, the request is repeated, and the guest pays twice.',
    code: [{ file: stripe, function: 'open', property: 'idempotencyKey', becomes: '' }],
    caughtBy: [`${payments}lost-replies.test.ts`, 'server/src/integrations/payments/payments.test.ts'],
  },
  {
    name: 'refund-twice',
    means: 'Two people refund at the same moment, and the guest gets the money twice.',
    code: [{ file: `${payments}queries.ts`, function: 'lockIntent', sqlLock: true, becomes: '' }],
    caughtBy: [`${payments}ended-bookings.test.ts`],
  },
  {
    name: 'payment-notice-not-verified',
    means: 'A forged notice makes us query the provider about any payment, as often as somebody likes.',
    code: [
      {
        ...{ file: stripe, function: 'parseEvent', call: 'constructEvent' },
        becomes: ({ args: [body] }) => `(JSON.parse(String(${body})) as Stripe.Event)`,
      },
    ],
    caughtBy: [`${payments}notices.test.ts`, 'server/src/integrations/payments/payments.test.ts'],
  },
  {
    name: 'late-answer-applied',
    means: 'A response that was delayed turns a paid booking into an unpaid one.',
    code: [
      {
        ...{ file: `${payments}settle-payment.ts`, function: 'applyProviderPayment' },
        ...{ condition: 'is_stale', becomes: '!known' },
      },
      {
        ...{ file: `${payments}settle-payment.ts`, function: 'applyProviderPayment' },
        ...{ variable: 'status', becomes: 'payment.status' },
      },
    ],
    caughtBy: [`${payments}late-answers.test.ts`],
  },
]
