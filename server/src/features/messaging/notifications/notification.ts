import { Type } from 'typebox'
import { Id, Timestamp, nullable, oneOf, ownedFields, timestampFields, text } from '#schema/fields.ts'

/** What people are notified of. */
export const notificationKinds = [
  'booking.confirmed',
  'booking.changed',
  'booking.cancelled',
  'booking.conflict',
  'calendar_feed.held',
  'calendar_feed.error',
  'payment.failed',
  'payment.refunded',
  'payment.disputed',
  'refund.failed',
  'sync.failed',
  'listing.stale',
  'target.error',
  'webhook.disabled',
  'member.identity_conflict',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** The types of events that can cause notifications: a kind has the name of its event, but for bookings. */
export const notifiedTypes = [
  ...notificationKinds.filter((kind) => kind !== 'booking.confirmed' && kind !== 'booking.changed'),
  'booking.created',
  'booking.updated',
] as const
export type NotifiedType = (typeof notifiedTypes)[number]

/** An event that may cause a notification. */
export interface EventRow {
  type: string
  subject_id: string | null
  account_id: string | null
  position: string
  data: Record<string, unknown>
}

/** Failures that affect guests: their recipients can be changed, but they cannot be turned off. */
export const mandatoryKinds = [
  'booking.conflict',
  'sync.failed',
  'listing.stale',
  'target.error',
  'member.identity_conflict',
] as const
export const isMandatory = (kind: NotificationKind) => (mandatoryKinds as readonly string[]).includes(kind)
/** Kinds that are e-mailed to the owners instead of the configured addresses. */
export const isForOwnersOnly = (kind: NotificationKind) => kind === 'member.identity_conflict'

/** The kind of a test e-mail. */
export const testKind = 'test'

export const channels = ['email', 'sms'] as const
export type Channel = (typeof channels)[number]
export const audiences = ['operator', 'guest'] as const
export type Audience = (typeof audiences)[number]
export const notificationStatuses = ['queued', 'sent', 'failed', 'skipped'] as const

/** One message to one person. */
export const Notification = Type.Object(
  {
    ...ownedFields,
    account_id: nullable(Id),
    event_id: nullable(Id),
    kind: oneOf(...notificationKinds, testKind),
    channel: oneOf(...channels),
    audience: oneOf(...audiences),
    to: text(254, 'E-mail address or phone number.'),
    locale: text(35),
    subject: text(1_000),
    status: {
      ...oneOf(...notificationStatuses),
      description:
        '`skipped`: it is not deliverable, or a message about a later change was sent before; `error_message` has the reason.',
    },
    attempts: Type.Integer({ minimum: 0, maximum: 1_000, format: 'int32' }),
    provider_id: nullable(text(255, 'Its id at the mail server or the SMS provider.')),
    error_code: nullable(text(64)),
    error_message: nullable(text(1_000, 'Why the last attempt failed.')),
    next_attempt_at: nullable(Timestamp),
    sent_at: nullable(Timestamp),
    ...timestampFields,
  },
  { title: 'Notification' },
)

export const maxAttempts = 5

/** The delays after each attempt. A random part of up to a fifth is added. */
const retryDelaysMs = [10_000, 60_000, 600_000, 3_600_000]
export const retryDelayMs = (attempts: number, random = Math.random()) =>
  Math.round((retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? 0) * (1 + 0.2 * random))
