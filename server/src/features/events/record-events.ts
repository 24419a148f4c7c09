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
  const asked = (those: typeof written) => those.map(({ id }) => ({ payload: { eventId: id } }))
  await Promise.all([
    enqueue(transaction, DeliverEvent, asked(written.filter((one) => one.is_wanted))),
    enqueue(transaction, NotifyOfEvent, asked(written.filter(({ type }) => toldToPeople.has(type)))),
  ])
}
