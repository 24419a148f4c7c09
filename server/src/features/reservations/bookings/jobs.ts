import { job } from '#queue/job.ts'
import { sql } from '#db/sql.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** Expires a pending booking, which frees its rooms. */
export const ExpireHold = job<{ bookingId: string }>({
  name: 'expire-hold',
  queue: 'upkeep',
  key: ({ bookingId }) => bookingId,
})

/** Cancels open payments and refunds the others by the policy, once a booking has ended before its stay. */
export const SettleCancellation = job<{ bookingId: string }>({
  name: 'settle-cancellation',
  queue: 'payments',
  key: ({ bookingId }) => bookingId,
})

/**
 * Confirms a pending booking that is paid in full. It has no key: a job that waits may read the payments before another
 * one commits, and that one is then confirmed by nothing else.
 */
export const ConfirmPaid = job<{ bookingId: string }>({ name: 'confirm-paid', queue: 'payments' })

/** Cancels open payments that ask for more than is still to pay. It has no key for the same reason. */
export const WithdrawRequests = job<{ bookingId: string }>({ name: 'withdraw-requests', queue: 'payments' })

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
