import { Type, type Static } from 'typebox'
import { Cents, Currency, Id, nullable, oneOf, owned, stamped, text, word } from '#fields.ts'

const Amount = { ...Cents, minimum: 1 }
const askedReasons = ['requested_by_guest', 'duplicate', 'fraudulent', 'other'] as const
export const refundReasons = [...askedReasons, 'cancellation'] as const
export const refundStatuses = ['pending', 'succeeded', 'failed', 'canceled'] as const

/** Money that goes back to the guest. */
export const PaymentRefund = Type.Object(
  {
    ...owned,
    payment_intent_id: Id,
    amount: Amount,
    currency: Currency,
    reason: {
      ...oneOf(...refundReasons),
      description: '`cancellation` is made by the policy, not by a caller.',
    },
    status: oneOf(...refundStatuses),
    failure_code: nullable(word(64)),
    provider_reference: nullable(text(255)),
    ...stamped,
  },
  { title: 'PaymentRefund' },
)

export const PaymentRefundInput = Type.Object(
  {
    amount: Type.Optional({ ...Amount, description: 'All that is left, unless told.' }),
    reason: Type.Optional(oneOf(...askedReasons)),
  },
  {
    title: 'PaymentRefundInput',
    example: { amount: 5_000, reason: 'requested_by_guest' },
    additionalProperties: false,
  },
)
export type PaymentRefundInput = Static<typeof PaymentRefundInput>
