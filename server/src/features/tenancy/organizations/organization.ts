import { Type } from 'typebox'
import { Count, Currency, Id, TimeZone, Timestamp, text } from '#schema/fields.ts'

const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional({ ...Count(minimum, maximum), description })

/** Set by `vacancy org set`. A missing setting has its default, which its description names in parentheses. */
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
            description: 'Minutes that the rooms of a pending booking are held (30).',
          }),
          cancellation_policy: Type.Optional(
            Type.Object(
              {
                free_until_days: count(0, 365, 'Days before the arrival until which cancelling is free (1).'),
                refund_percent: count(0, 100, 'The percentage that is refunded after that (0).'),
              },
              { description: 'The refund of a guest who cancels.' },
            ),
          ),
        },
        { description: 'Settings of bookings that are made by the API.' },
      ),
    ),
    retention: Type.Optional(
      Type.Object(
        {
          guest_days: count(
            30,
            36_500,
            'Days after a stay until the data of its guest is erased (GUEST_RETENTION_DAYS).',
          ),
        },
        { description: 'How long personal data is kept.' },
      ),
    ),
    notifications: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'As `GET /api/v1/notification-preferences` returns them, for callers who may read those.',
        },
      ),
    ),
  },
  { title: 'OrganizationSettings', description: 'Defaults and preferences. Other members may be added.' },
)

/** A business with its own units. Organizations are created by `vacancy org create`, not by the API. */
export const Organization = Type.Object(
  {
    id: Id,
    name: text(255),
    tier: text(32, 'free, paid or enterprise. The tier decides the rate limits.'),
    settings: OrganizationSettings,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Organization' },
)

/** The defaults of new spaces. */
export interface SpaceDefaults {
  currency: string
  timezone: string
}
