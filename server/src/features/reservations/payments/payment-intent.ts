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
import { intentStatuses } from '#integrations/payments/payments.ts'
import { Dispute } from './dispute.ts'

const Amount = { ...Cents, minimum: 1 }
const captureMethods = ['automatic', 'manual'] as const

const inputFields = {
  booking_id: Id,
  amount: Amount,
  currency: Currency,
  capture_method: {
    ...oneOf(...captureMethods),
    description: '`manual` authorizes the payment until it is captured.',
  },
}

/** A payment, with the statuses of the provider. */
export const PaymentIntent = Type.Object(
  {
    ...ownedFields,
    ...inputFields,
    status: oneOf(...intentStatuses),
    amount_received: Cents,
    amount_refunded: { ...Cents, description: 'Completed and pending refunds.' },
    failure_code: nullable(
      identifier(64, 'The code of the provider for the last failed attempt of the guest.'),
    ),
    requested: nullable({
      ...oneOf('capture', 'cancel'),
      description: 'The request to the provider that is not completed yet.',
    }),
    provider: identifier(64),
    provider_reference: nullable(
      text(255, 'The id of the payment at the provider; null until it exists there.'),
    ),
    ...timestampFields,
    dispute: Type.Optional(nullable(Dispute)),
    client_secret: nullable(
      text(
        255,
        'The secret that the page of the guest pays with. Only for callers who may write payments; null until the provider has created it.',
      ),
    ),
  },
  {
    title: 'PaymentIntent',
    description: 'A request for the same amount of the same booking returns the open payment.',
  },
)

const { capture_method, ...required } = inputFields
export const PaymentIntentInput = Type.Object(
  { ...required, capture_method: Type.Optional(capture_method) },
  {
    title: 'PaymentIntentInput',
    example: { booking_id: '5a9d3c7e-8f1b-4d2a-b6c4-1e0f9d8c7b6a', amount: 5_000, currency: 'eur' },
    additionalProperties: false,
  },
)
export type PaymentIntentInput = Static<typeof PaymentIntentInput>

export const CaptureInput = Type.Object(
  { amount: Type.Optional({ ...Amount, description: 'By default the whole amount.' }) },
  { title: 'CaptureInput', example: { amount: 15_000 }, additionalProperties: false },
)

/** Binds the sealed client secret to its row. */
export const secretPlace = (orgId: string, id: string) => `${orgId} payment_intents ${id} client_secret`
