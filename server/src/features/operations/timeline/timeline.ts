import { Type } from 'typebox'
import { Currency, Id, Timestamp, identifier, nullable, oneOf, text } from '#schema/fields.ts'

/** Entries of one kind that are shown; of more, the latest. */
export const maxEntries = 200

const Value = Type.Unsafe<unknown>({ description: 'The value.' })

const TimelineEntry = Type.Object(
  {
    kind: {
      ...oneOf('change', 'quote', 'payment', 'refund', 'notification', 'push'),
      description: 'What the entry is about.',
    },
    id: {
      ...Id,
      description: 'Of the record: the quote, payment, refund, notification or entry of the history.',
    },
    occurred_at: Timestamp,
    action: nullable(identifier(64, 'What was done with the booking, or the kind of the notification.')),
    status: nullable(text(64, 'State of the record now.')),
    actor: nullable(text(255, 'Who did it.')),
    amount_cents: nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        format: 'int64',
        description: 'Amount in minor units of the currency.',
      }),
    ),
    currency: nullable(Currency),
    recipient: nullable(text(254, 'Address or number of a notification.')),
    name: nullable(text(1_000, 'Subject of a notification, or the target of a push.')),
    message: nullable(text(1_000, 'Why it failed.')),
    changes: Type.Array(Type.Object({ field: text(64, 'The member.'), before: Value, after: Value }), {
      maxItems: 100,
      description: 'Members of the booking that changed. Contacts and notes are not shown.',
    }),
  },
  { title: 'TimelineEntry' },
)

export const Timeline = Type.Array(TimelineEntry, {
  maxItems: 6 * maxEntries,
  description:
    'The latest first. Payments and refunds need `payments:read`, notifications `notifications:read`, pushes and changes `sync:read`.',
})

/** What the caller may read beside the booking. */
export interface TimelineAccess {
  readonly payments: boolean
  readonly notifications: boolean
  readonly sync: boolean
}
