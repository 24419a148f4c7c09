import type { Fault } from './fault.ts'

const payments = 'server/src/features/payments'
const stripe = 'server/src/outside/payments/stripe-payments.ts'

/** Money that moves twice, or because somebody said so. */
export const paymentFaults: readonly Fault[] = [
  {
    name: 'payment-without-key',
    means: 'The answer of the provider is lost, we ask again, and the guest is asked to pay twice.',
    file: stripe,
    edits: [
      [
        'booking_id: bookingId },\n            },\n            { ...headed(call), idempotencyKey: key },',
        'booking_id: bookingId },\n            },\n            { ...headed(call) },',
      ],
    ],
    caughtBy: [
      {
        file: `${payments}/lost-replies.test.ts`,
        test: 'replies lost on the way: one payment each, and one refund',
      },
      {
        file: 'server/src/outside/payments/payments.test.ts',
        test: 'a lost reply, and the same key again: one payment',
      },
    ],
  },
  {
    name: 'refund-twice',
    means: 'Two people press the button at the same moment, and the guest gets the money back twice.',
    file: `${payments}/queries.ts`,
    edits: [
      [
        'from payment_intents where org_id = ${transaction.orgId} and id = ${id} for update`',
        'from payment_intents where org_id = ${transaction.orgId} and id = ${id}`',
      ],
    ],
    caughtBy: [
      {
        file: `${payments}/ended-bookings.test.ts`,
        test: 'all of it asked back ten times at once: it goes back once',
      },
    ],
  },
  {
    name: 'payment-notice-of-anybody',
    means: 'A forged notice sends us asking the provider about any payment, as often as somebody likes.',
    file: stripe,
    edits: [
      [
        'return noticeOf(stripe.webhooks.constructEvent(body, signature!, secret))',
        'return noticeOf((secret, JSON.parse(String(body))) as Stripe.Event)',
      ],
    ],
    caughtBy: [
      { file: `${payments}/notices.test.ts`, test: 'is not believed' },
      { file: 'server/src/outside/payments/payments.test.ts', test: 'nobody else is' },
    ],
  },
  {
    name: 'payment-end-left-again',
    means: 'An answer that was on its way for long turns a paid booking into an unpaid one.',
    file: `${payments}/settle-payment.ts`,
    edits: [
      ['if (!known || (known.is_overtaken && known.has_secret)) return', 'if (!known) return'],
      ['known.is_overtaken ? known.status : later(known.status, truth.status)', 'truth.status'],
    ],
    caughtBy: [
      {
        file: `${payments}/late-answers.test.ts`,
        test: 'what was heard late changes nothing: a paid booking stays paid',
      },
    ],
  },
]
