import { bookingJobs } from './features/bookings/jobs.ts'
import { calendarFeedJobs } from './features/calendar-feeds/jobs.ts'
import { guestJobs } from './features/guests/jobs.ts'
import { mediaJobs } from './features/media/jobs.ts'
import { notificationJobs } from './features/notifications/jobs.ts'
import { paymentJobs } from './features/payments/jobs.ts'
import { syncJobs } from './features/sync/jobs.ts'
import { noticeApplier } from './features/pms-bookings/apply-notice.ts'
import { pmsBookingJobs } from './features/pms-bookings/jobs.ts'
import { pmsEventJobs } from './features/pms-events/jobs.ts'
import { keepUp } from './features/upkeep/upkeep.ts'
import { webhookJobs } from './features/webhook-endpoints/jobs.ts'
import { queueNames, type Handler, type QueueName } from './queue/job.ts'
import type { WorkerQueue } from './queue/queue.ts'
import { work } from './queue/work.ts'
import type { Resources } from './resources.ts'
import { traced } from './traced.ts'

/** The back door: each queue and the jobs worked on it. */
const handlers = ({
  pms,
  vault,
  egress,
  config,
  mail,
  sms,
  payments,
  storage,
}: Resources): Partial<Record<QueueName, Handler[]>> => ({
  sync: syncJobs({ pms, vault, timeoutMs: config.pms.timeoutMs, ...config.sync }),
  payments: paymentJobs({ payments, vault }),
  notifications: notificationJobs({ mail, sms, publicUrl: config.http.publicUrl }),
  upkeep: [
    ...calendarFeedJobs({ egress: traced('calendar', egress, 'request'), vault }),
    ...bookingJobs,
    ...mediaJobs(storage),
    ...guestJobs({ vault, home: config.home }),
  ],
  webhooks: [
    ...webhookJobs({ egress: traced('webhook', egress, 'request'), vault }),
    ...pmsEventJobs({
      pms,
      applyNotice: noticeApplier({ pms, vault, timeoutMs: config.pms.timeoutMs }),
    }),
    ...pmsBookingJobs({
      pms,
      vault,
      timeoutMs: config.pms.timeoutMs,
      door: { publicUrl: config.http.publicUrl, ...config.pms.webhooks },
    }),
  ],
})

/** The queues that have work today. */
export const workedQueues: readonly QueueName[] = ['sync', 'payments', 'upkeep', 'webhooks', 'notifications']
export const isQueue = (name: string): name is QueueName => queueNames.includes(name as QueueName)

/** Works the queues until the answer is called: then running jobs end, and the rest is left to others. */
export async function startWorkers(
  resources: Resources,
  queue: WorkerQueue,
  names: readonly QueueName[] = workedQueues,
): Promise<(graceMs: number) => Promise<void>> {
  const { database, outbox, config } = resources
  const known = handlers(resources)
  for (const name of names)
    work({ queue, database, outbox, concurrency: config.worker.concurrency }, name, known[name] ?? [])
  const rest = keepUp({ database, outbox }, config.retention)
  return async (graceMs) => {
    rest()
    await queue.close(graceMs)
  }
}
