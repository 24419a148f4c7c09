import { Type, type Static } from 'typebox'
import { Currency, Id, Name, nullable, text, Whole } from '#schema/fields.ts'

const ExternalId = text(1_024)

/** A room that exists at the PMS, with the units that it may be. */
export const Offer = Type.Object(
  {
    external_id: ExternalId,
    name: text(10_000),
    max_guests: nullable(Whole),
    quantity: nullable(Whole),
    currency: nullable(Currency),
    active: Type.Boolean(),
    rate_plans: Type.Array(
      Type.Object({ external_id: ExternalId, name: text(10_000), currency: nullable(Currency) }),
      { maxItems: 10_000 },
    ),
    channel_listing_id: nullable({ ...Id, description: 'The listing that maps this room.' }),
    matches: Type.Array(
      Type.Object({
        unit_id: Id,
        name: Name,
        score: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'How similar the names and capacities are.',
        }),
      }),
      { maxItems: 3, description: 'Units of the account that may be this room, best match first.' },
    ),
  },
  { title: 'Offer' },
)
export type Offer = Static<typeof Offer>
