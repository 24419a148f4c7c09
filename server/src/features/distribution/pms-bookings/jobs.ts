import { job } from '#queue/job.ts'
import { sql } from '#db/sql.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** Polls the PMS of a target for bookings, because its notices can get lost. */
export const PollBookings = job<{ targetId: string }>({
  name: 'ask-for-bookings',
  queue: 'webhooks',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Retries a booking that could not be applied. */
export const RetryBookingConflict = job<{ conflictId: string }>({
  name: 'retry-booking-conflict',
  queue: 'webhooks',
  key: ({ conflictId }) => conflictId,
})

/** Moves the bookings of a room that was linked to another unit. */
export const MoveRelinkedBookings = job<{ listingId: string }>({
  name: 'move-relinked-bookings',
  queue: 'webhooks',
})

export const pmsBookingSchedule: readonly PeriodicTask[] = [
  { name: 'poll-bookings', intervalMs: 15_000, run: enqueuePolls },
  { name: 'retry-booking-conflicts', intervalMs: 15_000, run: enqueueConflictRetries },
]

/** Polls each PMS for new bookings once a minute, because webhook messages can get lost. */
export async function enqueuePolls(context: TaskContext): Promise<void> {
  const targets = await findInAllOrganizations(
    context,
    sql<{ org_id: string; channel_target_id: string }>`
      select *
      from targets_to_ask_for_bookings()`,
  )
  await enqueueForEach(context, PollBookings, targets, ({ channel_target_id }) => ({
    targetId: channel_target_id,
  }))
}

/** Retries the bookings of a PMS that may be mapped, or may fit, by now. */
export async function enqueueConflictRetries(context: TaskContext): Promise<void> {
  const conflicts = await findInAllOrganizations(
    context,
    sql<{ org_id: string; booking_conflict_id: string }>`
      select *
      from booking_conflicts_to_retry()`,
  )
  await enqueueForEach(context, RetryBookingConflict, conflicts, ({ booking_conflict_id }) => ({
    conflictId: booking_conflict_id,
  }))
}
