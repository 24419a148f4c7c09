import { Type, type Static } from 'typebox'
import { Cents, Day, Id, Name, nullable, oneOf, text } from '#schema/fields.ts'
import { chargeBases } from '#features/inventory/charges/charge.ts'

/** The maximum of a sum: larger than that of a single price, and exact in every JSON parser. */
export const maxCents = Number.MAX_SAFE_INTEGER
export const Amount = Type.Integer({
  minimum: 0,
  maximum: maxCents,
  format: 'int64',
  description: 'Amount in minor units of the currency.',
})
const SignedAmount = { ...Amount, minimum: -maxCents }

export const LineItem = Type.Object(
  {
    type: oneOf('base', 'fee', 'tax', 'discount', 'deposit'),
    name: Name,
    charge_id: nullable({ ...Id, description: 'The charge of the line; null for the nights.' }),
    basis: oneOf(...chargeBases),
    quantity: { ...Amount, description: 'The number that `unit_cents` is multiplied by.' },
    unit_cents: nullable({
      ...Cents,
      description: 'Price of each; null for different prices and for a percentage.',
    }),
    percent: nullable(Type.Number({ minimum: 0, maximum: 100 })),
    of_cents: nullable({ ...Amount, description: 'The amount that a percentage applies to.' }),
    included: Type.Boolean({ description: 'Whether the prices include it, so that it is not added.' }),
    amount_cents: { ...SignedAmount, description: 'Minor units; negative for a discount.' },
    explanation: text(1_000, 'How the amount was calculated.'),
  },
  { title: 'LineItem' },
)
export type LineItem = Static<typeof LineItem>

/** The price of a stay: total = subtotal − discounts + fees + taxes. The deposit is not part of the total. */
export const priceMembers = {
  nightly: Type.Array(
    Type.Object({ date: Day, price_cents: { ...Cents, description: 'Minor units for one room.' } }),
    { maxItems: 365 },
  ),
  line_items: Type.Array(LineItem, { maxItems: 1_000 }),
  subtotal_cents: { ...Amount, description: 'The price of the nights of all rooms.' },
  discounts_cents: { ...Amount, description: 'The sum of the discounts.' },
  fees_cents: Amount,
  taxes_cents: { ...Amount, description: 'Taxes that are not included in the prices.' },
  included_taxes_cents: { ...Amount, description: 'Taxes that are included in the prices.' },
  total_cents: { ...Amount, description: 'subtotal − discounts + fees + taxes.' },
  deposit_cents: { ...Amount, description: 'Refundable, and not part of the total.' },
}
export type StayPrice = {
  readonly [Member in keyof typeof priceMembers]: Static<(typeof priceMembers)[Member]>
}
