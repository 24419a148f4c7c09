import { Type, type Static } from 'typebox'
import { Currency, Id, Name, nullable, text } from '#fields.ts'

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32' })
const ExternalId = text(1_024)

/** A room that exists at the PMS, and which of our units it may be. */
export const Offer = Type.Object(
  {
    external_id: ExternalId,
    name: text(10_000),
    max_guests: nullable(Count),
    quantity: nullable(Count),
    currency: nullable(Currency),
    active: Type.Boolean(),
    rate_plans: Type.Array(
      Type.Object({ external_id: ExternalId, name: text(10_000), currency: nullable(Currency) }),
      { maxItems: 10_000 },
    ),
    channel_listing_id: nullable({ ...Id, description: 'Our listing that uses it.' }),
    matches: Type.Array(
      Type.Object({
        unit_id: Id,
        name: Name,
        score: Type.Number({ minimum: 0, maximum: 1, description: 'How alike name and capacity are.' }),
      }),
      { maxItems: 3, description: 'Units of the account that it may be, the likeliest first.' },
    ),
  },
  { title: 'Offer' },
)
export type Offer = Static<typeof Offer>
