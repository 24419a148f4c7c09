import { Type } from 'typebox'
import { isAdmin } from '#http/permissions.ts'
import type { Caller } from '#http/routes.ts'
import { Id, Timestamp, nullable, oneOf, text } from '#schema/fields.ts'

export const alertKinds = [
  'sync.failed',
  'listing.stale',
  'target.error',
  'drift.found',
  'booking.conflict',
  'calendar_feed.held',
  'calendar_feed.error',
  'payment.disputed',
  'refund.failed',
  'webhook.disabled',
  'member.identity_conflict',
] as const
export type AlertKind = (typeof alertKinds)[number]

/** Kinds that only owners and admins see, because they name other members. */
export const adminAlertKinds: readonly AlertKind[] = ['member.identity_conflict']

/** Kinds that the caller may not see. */
export const hiddenAlertKinds = ({ role, permissions }: Caller): AlertKind[] => [
  ...(isAdmin(role) ? [] : adminAlertKinds),
  ...(permissions.has('payments:read') ? [] : (['payment.disputed', 'refund.failed'] as const)),
]
export const alertStatuses = ['open', 'resolved'] as const

/** A problem that needs the attention of a person. It is resolved automatically when the problem is gone. */
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
    details: Type.Object({}, { description: 'More details, depending on the kind.' }),
    times: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      format: 'int32',
      description: 'How often it occurred while open.',
    }),
    first_at: Timestamp,
    last_at: Timestamp,
    resolved_at: nullable(Timestamp),
  },
  { title: 'Alert' },
)
