import { Type } from 'typebox'
import { Id, Timestamp, nullable, oneOf, text } from '#fields.ts'

export const alertKinds = [
  'sync.failed',
  'listing.stale',
  'target.error',
  'drift.found',
  'booking.conflict',
  'calendar_feed.held',
  'webhook.disabled',
  'member.identity_conflict',
] as const
export type AlertKind = (typeof alertKinds)[number]

/** What only owners and admins are shown: it names colleagues. */
export const adminAlertKinds: readonly AlertKind[] = ['member.identity_conflict']
export const alertStatuses = ['open', 'resolved'] as const

/** Something is wrong that a person has to know of. It closes by itself when it is right again. */
export const Alert = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: nullable(Id),
    kind: oneOf(...alertKinds),
    status: oneOf(...alertStatuses),
    channel_listing_id: nullable(Id),
    channel_target_id: nullable(Id),
    unit_id: nullable(Id),
    message: text(1_000, 'What is wrong.'),
    hint: text(1_000, 'What an operator can do about it.'),
    details: Type.Object({}, { description: 'More, by kind.' }),
    times: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      format: 'int32',
      description: 'How often it happened while open.',
    }),
    first_at: Timestamp,
    last_at: Timestamp,
    resolved_at: nullable(Timestamp),
  },
  { title: 'Alert' },
)
