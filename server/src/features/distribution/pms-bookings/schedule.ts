import { sql } from 'kysely'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { PollBookings, RetryBookingConflict } from './jobs.ts'

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
