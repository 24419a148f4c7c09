import { randomUUID } from 'node:crypto'
import { afterCommit, type Transaction, first, deferToCommit, type Scope } from '#db/scope.ts'
import { events as log } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { enqueue, job } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import { changesOf, notifyChanges } from './changed-records.ts'
import { eventTypes, internalEventTypes, type EventType, type NewEvent, type RecordEvent } from './event.ts'
import { notifiedTypes } from '#features/messaging/notifications/notification.ts'
import { sql, type Statement } from '#db/sql.ts'
import { NotFound } from '#errors.ts'
import type { StoredRecord } from '#db/records.ts'

/** The log event of each type that has one of its own. */
const logEvents: Partial<Record<EventType, typeof log.recordChanged>> = {
  'booking.created': log.bookingCreated,
  'booking.updated': log.bookingUpdated,
  'booking.cancelled': log.bookingCancelled,
  'booking.conflict': log.bookingConflicted,
  'calendar_feed.held': log.calendarHeld,
  'calendar_feed.error': log.calendarFailing,
  'payment.succeeded': log.paymentSucceeded,
  'payment.failed': log.paymentFailed,
  'payment.refunded': log.paymentRefunded,
  'payment.disputed': log.paymentDisputed,
  'refund.failed': log.refundFailed,
  'sync.completed': log.syncStatusPublished,
  'sync.failed': log.syncStatusPublished,
  'listing.stale': log.listingStale,
  'target.error': log.targetFailing,
  'webhook.disabled': log.endpointDisabled,
  'member.identity_conflict': log.identityConflict,
}

// Prometheus sees an increase only in a series that it knows: without a zero, the first conflict would not count.
for (const type of [...eventTypes, ...internalEventTypes]) metrics.eventRecorded(type, 0)

/** Records events in the transaction that causes them, with the jobs that notify people and webhook endpoints. */
export async function recordEvents(
  transaction: Transaction,
  events: readonly (NewEvent | RecordEvent)[],
): Promise<void> {
  if (events.length === 0) return
  const { orgId, traceparent } = transaction
  const traceId = parseTraceparent(traceparent)?.traceId
  afterCommit(transaction, () => {
    for (const { type, subjectId } of events)
      (logEvents[type] ?? log.recordChanged)({ type, orgId, subjectId, traceId })
  })
  const eventsWithIds = events.map((event) => ({ ...event, id: randomUUID() }))
  insertEvents(
    transaction,
    eventsWithIds.filter((event) => 'data' in event),
  )
  for (const event of eventsWithIds) if ('record' in event) insertRecordEvent(transaction, event)
  notifyChanges(transaction, changesOf(events))
  const notified = eventsWithIds.filter(({ type }) => (notifiedTypes as readonly string[]).includes(type))
  await enqueue(
    transaction,
    NotifyOfEvent,
    notified.map(({ id }) => ({ payload: { eventId: id } })),
  )
  const delivered = eventsWithIds.filter(isPublic)
  await enqueue(
    transaction,
    DeliverEvent,
    delivered.map(({ id, type }) => ({ payload: { eventId: id, type } })),
  )
}

const isPublic = ({ type }: { type: EventType }) => !(internalEventTypes as readonly string[]).includes(type)

/** Inserts all events with one statement, sent together with the commit. */
function insertEvents(transaction: Transaction, events: readonly (NewEvent & { readonly id: string })[]) {
  if (events.length > 0)
    deferToCommit(
      transaction,
      sql`
        insert into events (org_id, id, account_id, type, subject_id, data, traceparent)
        select ${transaction.orgId}, id, "accountId", type, "subjectId", data, ${transaction.traceparent}
        from json_to_recordset(${JSON.stringify(events)}::json)
          as event (id uuid, "accountId" uuid, type text, "subjectId" uuid, data json)`,
    )
}

const insertRecordEvent = (
  transaction: Transaction,
  { id, type, subjectId, record }: RecordEvent & { readonly id: string },
): void =>
  deferToCommit(
    transaction,
    sql`
      insert into events (org_id, id, account_id, type, subject_id, data, traceparent)
      select ${transaction.orgId}, ${id}::uuid, account_id, ${type}, ${subjectId}::uuid, data, ${transaction.traceparent}
      from (${record}) record`,
  )

/** Whether any webhook endpoint subscribes to a type of event. */
export async function hasSubscriber(scope: Scope, type: EventType): Promise<boolean> {
  const found = await first(
    scope,
    sql`
      select 1
      from webhook_endpoints
      where org_id = ${scope.orgId}
        and status = 'active'
        and event_types && array[${type}::text, '*']
      limit 1`,
  )
  return found !== undefined
}

export async function findEvent(scope: Scope, id: string): Promise<StoredRecord> {
  const json = sql`event_json(id, org_id, account_id, type, subject_id, data, occurred_at)`
  const row = await first(
    scope,
    sql<StoredRecord>`select ${json} as json, 1 as version from events where org_id = ${scope.orgId} and id = ${id}
      and type <> all(${internalEventTypes})
      and (only_for is null or exists (
        select 1 from webhook_endpoints endpoint where endpoint.org_id = events.org_id and endpoint.id = only_for))`,
  )
  if (!row) throw new NotFound('event', id)
  return row
}

/** Creates the notifications of an event. */
export const NotifyOfEvent = job<{ eventId: string }>({
  name: 'notify-of-event',
  queue: 'notifications',
  key: ({ eventId }) => eventId,
})

/** Read only for an endpoint of one account. */
const accountOfEvent = sql`(
  select event.account_id
  from events event
  where event.org_id = endpoint.org_id
    and event.id = (job.data #>> '{payload,eventId}')::uuid)`

/** Whether the row `endpoint` gets events of this type and account. */
export const subscribesTo = (type: Statement, accountId: Statement): Statement => sql`
  endpoint.status = 'active'
  and endpoint.event_types && array[${type}, '*']
  and (endpoint.account_id is null or endpoint.account_id = ${accountId})`

/** Creates a delivery for each webhook endpoint that subscribes to an event; there is no job for an event without one. */
export const DeliverEvent = job<Pick<NewEvent, 'type'> & { eventId: string }>({
  name: 'deliver-event',
  queue: 'webhooks',
  key: ({ eventId }) => eventId,
  onlyIf: sql`exists (
    select
    from webhook_endpoints endpoint
    where endpoint.org_id = (job.data ->> 'org_id')::uuid
      and ${subscribesTo(sql`job.data #>> '{payload,type}'`, accountOfEvent)})`,
})
