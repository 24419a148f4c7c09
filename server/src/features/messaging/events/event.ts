import { Type } from 'typebox'
import type { Statement } from '#db/sql.ts'
import { Id, Timestamp, nullable, identifier } from '#schema/fields.ts'

/** All public types of events, as `<resource>.<what happened>`. */
export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.deleted',
  'booking.conflict',
  'calendar_feed.held',
  'calendar_feed.error',
  'payment.succeeded',
  'payment.failed',
  'payment.refunded',
  'payment.disputed',
  'refund.failed',
  'quote.created',
  'space.created',
  'space.updated',
  'space.deleted',
  'unit.created',
  'unit.updated',
  'unit.deleted',
  'rate_plan.created',
  'rate_plan.updated',
  'rate_plan.deleted',
  'calendar.updated',
  'target.created',
  'target.updated',
  'target.deleted',
  'target.error',
  'listing.created',
  'listing.updated',
  'listing.deleted',
  'listing.stale',
  'sync.completed',
  'sync.failed',
  'conflict.opened',
  'conflict.resolved',
  'conflict.dismissed',
  'alert.resolved',
  'webhook.disabled',
] as const

/** Types that cause notifications only: they are in no feed and go to no webhook endpoint. */
export const internalEventTypes = ['member.identity_conflict'] as const
export type EventType = (typeof eventTypes)[number] | (typeof internalEventTypes)[number]

/** The type of a test event for an endpoint; in no feed. */
export const testEventType = 'webhook.test'

export interface NewEvent {
  readonly type: EventType
  readonly accountId: string | null
  /** The record that the event is about. */
  readonly subjectId: string | null
  /** The record as the API returns it, under its singular name, such as `{booking}`. */
  readonly data: object
}

/** An event about a stored record, which PostgreSQL reads when it inserts the event: nothing waits for the record. */
export interface RecordEvent {
  readonly type: EventType
  readonly subjectId: string
  /** Selects the `account_id` of the record and the `data` of the event. */
  readonly record: Statement
}

export const Event = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: nullable(Id),
    type: identifier(64, 'What happened. More types may be added.'),
    subject_id: nullable(Id),
    occurred_at: Timestamp,
    data: Type.Object({}, { description: 'The record at that time, under its singular name.' }),
  },
  {
    title: 'Event',
    description:
      'Something that happened. Kept for 90 days; `sync.completed` and `quote.created` only while a webhook endpoint subscribes to them.',
  },
)
