import { sql } from 'kysely'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { ExpireHold } from './jobs.ts'

export const bookingSchedule: readonly PeriodicTask[] = [
  { name: 'expire-overdue-holds', intervalMs: 15_000, run: expireOverdueHolds },
]

/** Enqueues the expiry of holds whose job was lost. Returns their number. */
export async function expireOverdueHolds(context: TaskContext): Promise<number> {
  const holds = await findInAllOrganizations(
    context,
    sql<{ org_id: string; booking_id: string }>`select * from holds_to_expire(interval '15 seconds')`,
  )
  await enqueueForEach(context, ExpireHold, holds, ({ booking_id }) => ({ bookingId: booking_id }))
  return holds.length
}
