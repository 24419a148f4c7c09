import { Type } from 'typebox'
import { Id, Timestamp, nullable, oneOf, owned, stamped, text } from '#fields.ts'

/** What people are told of. */
export const notificationKinds = [
  'booking.confirmed',
  'booking.changed',
  'booking.cancelled',
  'booking.conflict',
  'calendar_feed.held',
  'payment.failed',
  'payment.refunded',
  'sync.failed',
  'listing.stale',
  'target.error',
  'webhook.disabled',
  'member.identity_conflict',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** Something fails towards the guests: this may be told elsewhere, but not to nobody. */
export const neverSilent = [
  'booking.conflict',
  'sync.failed',
  'listing.stale',
  'target.error',
  'member.identity_conflict',
] as const
export const isNeverSilent = (kind: NotificationKind) => (neverSilent as readonly string[]).includes(kind)
/** What the owners are mailed, whoever is mailed the rest. */
export const isForOwners = (kind: NotificationKind) => kind === 'member.identity_conflict'

/** A mail that somebody sent to try the way. */
export const testKind = 'test'

export const channels = ['email', 'sms'] as const
export type Channel = (typeof channels)[number]
export const audiences = ['operator', 'guest'] as const
export type Audience = (typeof audiences)[number]
export const notificationStatuses = ['queued', 'sent', 'failed', 'skipped'] as const

/** One message to one person. */
export const Notification = Type.Object(
  {
    ...owned,
    account_id: nullable(Id),
    event_id: nullable(Id),
    kind: oneOf(...notificationKinds, testKind),
    channel: oneOf(...channels),
    audience: oneOf(...audiences),
    to: text(254, 'Address or number.'),
    locale: text(35),
    subject: text(1_000),
    status: {
      ...oneOf(...notificationStatuses),
      description: '`skipped`: nothing could deliver it, and `error_message` says why; it is not tried.',
    },
    attempts: Type.Integer({ minimum: 0, maximum: 1_000, format: 'int32' }),
    provider_id: nullable(text(255, 'What the mail server or the SMS provider calls it.')),
    error_code: nullable(text(64)),
    error_message: nullable(text(1_000, 'What went wrong at the last attempt.')),
    next_attempt_at: nullable(Timestamp),
    sent_at: nullable(Timestamp),
    ...stamped,
  },
  { title: 'Notification' },
)

export const mostAttempts = 5

/** How long after each attempt the next one is made, before chance adds up to a fifth. */
const waitsMs = [10_000, 60_000, 600_000, 3_600_000]
export const waitMs = (attempts: number, chance = Math.random()) =>
  Math.round((waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0) * (1 + 0.2 * chance))
