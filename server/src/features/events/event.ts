import { Type } from 'typebox'
import { Id, Timestamp, nullable, word } from '#fields.ts'

/** Everything that is told, `<resource>.<what happened>`. */
export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.conflict',
  'calendar_feed.held',
  'payment.succeeded',
  'payment.failed',
  'payment.refunded',
  'space.created',
  'space.updated',
  'space.deleted',
  'unit.created',
  'unit.updated',
  'unit.deleted',
  'sync.completed',
  'sync.failed',
  'listing.stale',
  'target.error',
  'webhook.disabled',
] as const

/** What only people are told of: in no feed, and for no webhook endpoint. */
export const internalEventTypes = ['member.identity_conflict'] as const
export type EventType = (typeof eventTypes)[number] | (typeof internalEventTypes)[number]

/** What a trial of an endpoint says it is; in no feed. */
export const trialType = 'webhook.test'

/** What webhook endpoints choose by. */
export interface EventKind {
  readonly type: EventType
  readonly accountId: string | null
}

export interface NewEvent extends EventKind {
  /** The record that it is about. */
  readonly subjectId: string | null
  /** What a partner reads: the record as the API shows it under its singular name, such as `{booking}`. */
  readonly data: object
}

export const Event = Type.Object(
  {
    id: Id,
    org_id: Id,
    account_id: nullable(Id),
    type: word(64, 'What happened; more types may come.'),
    subject_id: nullable(Id),
    occurred_at: Timestamp,
    data: Type.Object({}, { description: 'The record as it was then, under its singular name.' }),
  },
  {
    title: 'Event',
    description:
      'Something that happened, kept for 90 days. `sync.completed` is only kept while a webhook endpoint wants it.',
  },
)
