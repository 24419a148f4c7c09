import type { Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { DeliverEvent, NotifyOfEvent } from './event-jobs.ts'
import type { EventType, NewEvent } from './event.ts'
import { insertEvents } from './queries.ts'

/** What people are told of, beside programs. */
const toldToPeople: ReadonlySet<EventType> = new Set([
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.conflict',
  'payment.failed',
  'payment.refunded',
  'sync.failed',
  'listing.stale',
  'target.error',
])

/** Writes what happened, inside the transaction in which it happened, with the jobs that tell of it. */
export async function recordEvents(transaction: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const written = await insertEvents(transaction, events)
  const asked = written.map(({ id }) => ({ payload: { eventId: id } }))
  await enqueue(transaction, DeliverEvent, asked)
  await enqueue(
    transaction,
    NotifyOfEvent,
    asked.filter((_, at) => toldToPeople.has(written[at]!.type)),
  )
}
