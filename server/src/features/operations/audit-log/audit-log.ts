import { Type } from 'typebox'
import { Currency, Id, Timestamp, nullable, oneOf, text } from '#schema/fields.ts'

export const auditedKinds = [
  'account',
  'booking',
  'calendar',
  'calendar_feed',
  'channel_listing',
  'channel_target',
  'charge',
  'guest',
  'media',
  'member',
  'organization',
  'payment_intent',
  'payment_refund',
  'rate_plan',
  'sales_stop',
  'season',
  'space',
  'unit',
  'webhook_endpoint',
] as const

/** One decision: who changed which record, and from what to what. */
export const AuditLogEntry = Type.Object(
  {
    id: Id,
    org_id: Id,
    actor: Type.Object({ type: oneOf('user', 'service', 'system'), id: text(64), name: text(320) }),
    action: text(64, 'created, updated, deleted, or what happens to this kind of record only: cancelled.'),
    kind: oneOf(...auditedKinds),
    record_id: nullable(Id),
    unit_id: nullable({ ...Id, description: 'The unit that the record belongs to.' }),
    name: nullable(text(320, 'What the record was called then, or the guest of a booking or payment now.')),
    currency: nullable({ ...Currency, description: 'Of the amounts in the changes.' }),
    changes: Type.Array(Type.Object({ field: text(255), before: Type.Unknown(), after: Type.Unknown() }), {
      maxItems: 100_000,
      description: 'Secrets and contact data have `not shown` in place of a value.',
    }),
    created_at: Timestamp,
  },
  { title: 'AuditLogEntry' },
)
