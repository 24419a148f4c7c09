/** Everything that is told, `<resource>.<what happened>`. */
export const eventTypes = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.conflict',
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
] as const
export type EventType = (typeof eventTypes)[number]

export interface NewEvent {
  readonly type: EventType
  readonly accountId: string | null
  /** The record that it is about. */
  readonly subjectId: string | null
  /** What a partner reads: the record as the API shows it under its singular name, such as `{booking}`. */
  readonly data: object
}
