import { Type } from 'typebox'
import { Count, Currency, Id, TimeZone, Timestamp, text } from '#fields.ts'

const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional({ ...Count(minimum, maximum), description })

/** Set by `vacancy org set`; what is not there has its default. */
const OrganizationSettings = Type.Object(
  {
    default_currency: Type.Optional({ ...Currency, description: 'Of new spaces (usd).' }),
    default_timezone: Type.Optional({ ...TimeZone, description: 'Of new spaces (UTC).' }),
    locale: Type.Optional(text(35, 'Language of messages, as a BCP 47 tag (en).')),
    booking: Type.Optional(
      Type.Object(
        {
          hold_minutes: Type.Optional({
            ...Count(1, 10_080),
            description: 'Minutes that the rooms of a pending booking are kept (30).',
          }),
          cancellation_policy: Type.Optional(
            Type.Object(
              {
                free_until_days: count(0, 365, 'Days before the arrival until which cancelling is free (1).'),
                refund_percent: count(0, 100, 'Percent of what was paid that is given back after that (0).'),
              },
              { description: 'What a guest who cancels gets back.' },
            ),
          ),
        },
        { description: 'Of bookings that are made here.' },
      ),
    ),
    retention: Type.Optional(
      Type.Object(
        { guest_days: count(30, 36_500, 'Days after a stay that guests are kept (GUEST_RETENTION_DAYS).') },
        { description: 'How long personal data are kept.' },
      ),
    ),
    notifications: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'As `GET /api/v1/notification-preferences` shows them; for readers who may read those.',
        },
      ),
    ),
  },
  { title: 'OrganizationSettings', description: 'Defaults and preferences; other members may be added.' },
)

/** A business with its own stock. Made outside of the API (`vacancy org create`). */
export const Organization = Type.Object(
  {
    id: Id,
    name: text(255),
    tier: text(32, 'free, paid or enterprise: decides the rate limits.'),
    settings: OrganizationSettings,
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
