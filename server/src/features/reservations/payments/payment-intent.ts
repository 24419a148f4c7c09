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

const Amount = { ...Cents, minimum: 1 }
const captureMethods = ['automatic', 'manual'] as const

const inputFields = {
  booking_id: Id,
  amount: Amount,
  currency: Currency,
  capture_method: {
    ...oneOf(...captureMethods),
    description: '`manual` holds the money until it is captured.',
  },
}

/** A payment, with the statuses of the provider. */
export const PaymentIntent = Type.Object(
  {
    ...ownedFields,
    ...inputFields,
    status: oneOf(...intentStatuses),
    amount_received: Cents,
    amount_refunded: { ...Cents, description: 'What went back, or is on its way.' },
    failure_code: nullable(
      identifier(64, 'Why the last attempt of the guest failed, in the word of the provider.'),
    ),
    requested: nullable({
      ...oneOf('capture', 'cancel'),
      description: 'What has been asked of the provider and is not done yet.',
    }),
    provider: identifier(64),
    provider_reference: nullable(text(255, 'The payment at the provider; null until it knows of it.')),
    ...timestampFields,
    client_secret: nullable(
      text(
        255,
        'What the page of the guest pays with; only for who may write, null until the provider gave it.',
      ),
    ),
  },
  {
    title: 'PaymentIntent',
    description:
      'Asking for the same amount of the same booking again answers with the payment that is open already.',
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
  { amount: Type.Optional({ ...Amount, description: 'All of it, unless told.' }) },
  { title: 'CaptureInput', example: { amount: 15_000 }, additionalProperties: false },
)

/** Binds the sealed client secret to its row. */
export const secretPlace = (orgId: string, id: string) => `${orgId} payment_intents ${id} client_secret`
