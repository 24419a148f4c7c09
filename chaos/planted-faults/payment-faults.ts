import type { Fault } from './fault.ts'

const stripe = 'server/src/integrations/payments/stripe-payments.ts'

/** Money that moves twice, or because somebody said so. */
export const paymentFaults: readonly Fault[] = [
  {
    name: 'payment-without-key',
    means: 'The answer of the provider is lost, we ask again, and the guest is asked to pay twice.',
    file: stripe,
    edits: [
      [
        'booking_id: bookingId },\n            },\n            { ...requestOptions(call), idempotencyKey: key },',
        'booking_id: bookingId },\n            },\n            { ...requestOptions(call) },',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/reservations/payments/lost-replies.test.ts',
        test: 'replies lost on the way: one payment each, and one refund',
      },
      {
        file: 'server/src/integrations/payments/payments.test.ts',
        test: 'creates one payment when the reply is lost and the key is repeated',
      },
    ],
  },
  {
    name: 'refund-twice',
    means: 'Two people press the button at the same moment, and the guest gets the money back twice.',
    file: 'server/src/features/reservations/payments/queries.ts',
    edits: [
      [
        'from payment_intents where org_id = ${transaction.orgId} and id = ${id} for update`',
        'from payment_intents where org_id = ${transaction.orgId} and id = ${id}`',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/reservations/payments/ended-bookings.test.ts',
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
        'return toPaymentEvent(stripe.webhooks.constructEvent(body, signature!, secret))',
        'return toPaymentEvent((secret, JSON.parse(String(body))) as Stripe.Event)',
      ],
    ],
    caughtBy: [
      { file: 'server/src/features/reservations/payments/notices.test.ts', test: 'is not believed' },
      {
        file: 'server/src/integrations/payments/payments.test.ts',
        test: 'rejects a missing, wrong or old signature',
      },
    ],
  },
  {
    name: 'payment-end-left-again',
    means: 'An answer that was on its way for long turns a paid booking into an unpaid one.',
    file: 'server/src/features/reservations/payments/settle-payment.ts',
    edits: [
      ['if (!known || (known.is_stale && known.has_secret)) return', 'if (!known) return'],
      ['known.is_stale ? known.status : nextStatus(known.status, payment.status)', 'payment.status'],
    ],
    caughtBy: [
      {
        file: 'server/src/features/reservations/payments/late-answers.test.ts',
        test: 'what was heard late changes nothing: a paid booking stays paid',
      },
    ],
  },
]
