import { bookingSchedule } from '#features/reservations/bookings/schedule.ts'
import { calendarFeedSchedule } from '#features/distribution/calendar-feeds/schedule.ts'
import { guestSchedule } from '#features/reservations/guests/schedule.ts'
import { mediaSchedule } from '#features/inventory/media/schedule.ts'
import { paymentSchedule } from '#features/reservations/payments/schedule.ts'
import { syncSchedule } from '#features/distribution/sync/engine/schedule.ts'
import { pmsBookingSchedule } from '#features/distribution/pms-bookings/schedule.ts'
import { retentionSchedule } from '#features/operations/scheduler/delete-expired.ts'
import { startScheduler } from '#features/operations/scheduler/scheduler.ts'
import { sessionSchedule } from '#features/tenancy/session/schedule.ts'
import { webhookSchedule } from '#features/messaging/webhooks/schedule.ts'
import type { Config } from '#config/config.ts'
import type { QueueName } from '#queue/job.ts'
import type { PeriodicTask } from '#queue/periodic-task.ts'
import type { WorkerQueue } from '#queue/queue.ts'
import { startWorker } from '#queue/worker.ts'
import type { Resources } from '#resources.ts'
import { buildHandlers } from './handlers.ts'

/** What every worker runs at an interval, whichever queues it works. */
const periodicTasks = ({ retention }: Config): readonly PeriodicTask[] => [
  ...syncSchedule,
  ...calendarFeedSchedule,
  ...pmsBookingSchedule,
  ...bookingSchedule,
  ...paymentSchedule,
  ...guestSchedule(retention),
  ...mediaSchedule,
  ...webhookSchedule,
  ...sessionSchedule,
  ...retentionSchedule(retention),
]

/** The queues that a worker is started for. */
export const workedQueues = ['sync', 'payments', 'upkeep', 'webhooks', 'notifications'] as const
export type WorkedQueue = (typeof workedQueues)[number]
export const isQueue = (name: string): name is WorkedQueue => workedQueues.includes(name as WorkedQueue)

/** Read-backs have slots of their own, so that no push waits for them; every worker of `sync` runs them too. */
const queuesOf = (name: WorkedQueue): QueueName[] => (name === 'sync' ? ['sync', 'verification'] : [name])

/** Runs jobs and periodic tasks. The returned function waits for running jobs and leaves the rest to other workers. */
export async function startWorkers(
  resources: Resources,
  queue: WorkerQueue,
  names: readonly WorkedQueue[] = workedQueues,
): Promise<(graceMs: number) => Promise<void>> {
  const { database, config } = resources
  const handlers = buildHandlers(resources)
  for (const name of names.flatMap(queuesOf))
    startWorker(
      { queue, database, concurrency: config.worker.concurrency },
      name,
      handlers.filter(({ job }) => job.queue === name),
    )
  const stopScheduler = startScheduler({ database }, periodicTasks(config))
  return async (graceMs) => {
    stopScheduler()
    await queue.close(graceMs)
  }
}
