import { randomUUID } from 'node:crypto'
import { onceCommitted, type Transaction } from '#db/scope.ts'
import { events as log } from '#events.ts'
import { metrics } from '#metrics.ts'
import { enqueue } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry.ts'
import { DeliverEvent, NotifyOfEvent } from './event-jobs.ts'
import { eventTypes, internalEventTypes, type EventKind, type EventType, type NewEvent } from './event.ts'
import { insertEvents, wantedKinds } from './queries.ts'

/** What people are told of, beside programs. */
const toldToPeople: ReadonlySet<EventType> = new Set([
  'booking.created',
  'booking.updated',
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
])

/** The sentence of the log for each. */
const sentences: Record<EventType, (facts: Parameters<typeof log.bookingCreated>[0]) => void> = {
  'booking.created': log.bookingCreated,
  'booking.updated': log.bookingUpdated,
  'booking.cancelled': log.bookingCancelled,
  'booking.conflict': log.bookingConflicted,
  'calendar_feed.held': log.calendarHeld,
  'payment.succeeded': log.paymentSucceeded,
  'payment.failed': log.paymentFailed,
  'payment.refunded': log.paymentRefunded,
  'space.created': log.spaceChanged,
  'space.updated': log.spaceChanged,
  'space.deleted': log.spaceChanged,
  'unit.created': log.unitChanged,
  'unit.updated': log.unitChanged,
  'unit.deleted': log.unitChanged,
  'sync.completed': log.syncTold,
  'sync.failed': log.syncTold,
  'listing.stale': log.listingStale,
  'target.error': log.targetFailing,
  'webhook.disabled': log.endpointDisabled,
  'member.identity_conflict': log.identityConflict,
}

// Prometheus sees a rise only in what it has seen before: the first conflict would be none.
for (const type of [...eventTypes, ...internalEventTypes]) metrics.eventHappened(type, 0)

/** Which of these a program listens to: the answer for `recordEvents`, of who can ask on the way. */
export async function listenersTo(
  transaction: Transaction,
  events: readonly EventKind[],
): Promise<(event: EventKind) => boolean> {
  const kinds = new Map(events.filter(isPublic).map((event) => [kindOf(event), event]))
  if (kinds.size === 0) return () => false
  const wanted = new Set((await wantedKinds(transaction, [...kinds.values()])).map(kindOf))
  return (event) => wanted.has(kindOf(event))
}
const isPublic = ({ type }: EventKind) => !(internalEventTypes as readonly string[]).includes(type)
const kindOf = ({ type, accountId }: EventKind) => `${type} ${accountId}`

/**
 * Writes what happened, inside the transaction in which it happened, with the jobs that tell of it. All that leaves
 * with the commit.
 */
export async function recordEvents(
  transaction: Transaction,
  events: readonly NewEvent[],
  listeners?: ReturnType<typeof listenersTo>,
): Promise<void> {
  if (events.length === 0) return
  const { orgId, traceparent } = transaction
  const traceId = parseTraceparent(traceparent)?.traceId
  onceCommitted(transaction, () => {
    for (const { type, subjectId } of events) sentences[type]({ type, orgId, subjectId, traceId })
  })
  const named = events.map((event) => ({ ...event, id: randomUUID() }))
  const asked = (those: readonly { id: string }[]) => those.map(({ id }) => ({ payload: { eventId: id } }))
  insertEvents(transaction, named)
  const [isWanted] = await Promise.all([
    listeners ?? listenersTo(transaction, events),
    enqueue(transaction, NotifyOfEvent, asked(named.filter(({ type }) => toldToPeople.has(type)))),
  ])
  await enqueue(transaction, DeliverEvent, asked(named.filter(isWanted)))
}
