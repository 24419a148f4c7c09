import { Type, type Static } from 'typebox'
import { Cents, Day, Id, Name, nullable, oneOf, text } from '#fields.ts'
import { chargeBases } from '../charges/charge.ts'

/** What many nights come to: more than a price may be, and no more than every client can count with. */
export const mostCents = Number.MAX_SAFE_INTEGER
export const Amount = Type.Integer({
  minimum: 0,
  maximum: mostCents,
  format: 'int64',
  description: 'Amount in minor units of the currency.',
})
const Signed = { ...Amount, minimum: -mostCents }

export const LineItem = Type.Object(
  {
    type: oneOf('base', 'fee', 'tax', 'discount', 'deposit'),
    name: Name,
    charge_id: nullable({ ...Id, description: 'The charge behind the line; null for the nights.' }),
    basis: oneOf(...chargeBases),
    quantity: { ...Amount, description: 'How many are counted.' },
    unit_cents: nullable({ ...Cents, description: 'For each; null when they differ, and for a percentage.' }),
    percent: nullable(Type.Number({ minimum: 0, maximum: 100 })),
    of_cents: nullable({ ...Amount, description: 'What a percentage is of.' }),
    included: Type.Boolean({ description: 'Whether the prices contain it already: then it is not added.' }),
    amount_cents: { ...Signed, description: 'Minor units; of a discount less than nothing.' },
    explanation: text(1_000, 'How the amount was computed.'),
  },
  { title: 'LineItem' },
)
export type LineItem = Static<typeof LineItem>

/** What a stay costs. total = subtotal − discounts + fees + taxes; the deposit stands beside it. */
export const priceMembers = {
  nightly: Type.Array(
    Type.Object({ date: Day, price_cents: { ...Cents, description: 'Minor units for one room.' } }),
    { maxItems: 365 },
  ),
  line_items: Type.Array(LineItem, { maxItems: 1_000 }),
  subtotal_cents: { ...Amount, description: 'The nights of all rooms.' },
  discounts_cents: { ...Amount, description: 'What is taken off.' },
  fees_cents: Amount,
  taxes_cents: { ...Amount, description: 'Taxes that are added.' },
  included_taxes_cents: { ...Amount, description: 'Taxes that the prices contain already.' },
  total_cents: { ...Amount, description: 'subtotal − discounts + fees + taxes.' },
  deposit_cents: { ...Amount, description: 'Given back after the stay: no part of the total.' },
}
export type StayPrice = {
  readonly [Member in keyof typeof priceMembers]: Static<(typeof priceMembers)[Member]>
}
