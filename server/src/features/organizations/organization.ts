import { Type } from 'typebox'
import { Id, Timestamp, text } from '#fields.ts'

/** A business with its own stock. Made outside of the API (`vacancy org create`). */
export const Organization = Type.Object(
  {
    id: Id,
    name: text(255),
    tier: text(32, 'free, paid or enterprise: decides the rate limits.'),
    settings: Type.Object({}, { description: 'Defaults and preferences; other members may be added.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Organization' },
)

/** What a new space takes from its organization when it does not say otherwise. */
export interface Defaults {
  currency: string
  timezone: string
}
