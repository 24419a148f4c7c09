import { Type, type Static } from 'typebox'
import {
  Cents,
  Currency,
  Id,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
  identifier,
} from '#schema/fields.ts'

const Amount = { ...Cents, minimum: 1 }
const inputReasons = ['requested_by_guest', 'duplicate', 'fraudulent', 'other'] as const
export const refundReasons = [...inputReasons, 'cancellation', 'dispute'] as const
export const refundStatuses = ['pending', 'succeeded', 'failed', 'canceled'] as const

export const PaymentRefund = Type.Object(
  {
    ...ownedFields,
    payment_intent_id: Id,
    amount: Amount,
    currency: Currency,
    reason: {
      ...oneOf(...refundReasons),
      description: '`cancellation` is of the cancellation policy, `dispute` of the bank of the guest.',
    },
    status: oneOf(...refundStatuses),
    failure_code: nullable(identifier(64)),
    provider_reference: nullable(text(255)),
    ...timestampFields,
  },
  { title: 'PaymentRefund' },
)

export const PaymentRefundInput = Type.Object(
  {
    amount: Type.Optional({ ...Amount, description: 'By default the whole remaining amount.' }),
    reason: Type.Optional(oneOf(...inputReasons)),
  },
  {
    title: 'PaymentRefundInput',
    example: { amount: 5_000, reason: 'requested_by_guest' },
    additionalProperties: false,
  },
)
export type PaymentRefundInput = Static<typeof PaymentRefundInput>
