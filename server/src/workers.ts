import { join } from 'node:path'
import { handle, type Handler, type QueueName } from '#queue/job.ts'
import { startScheduler, type PeriodicTask } from '#queue/periodic-task.ts'
import type { WorkerQueue } from '#queue/queue.ts'
import { runJobs } from '#queue/run-jobs.ts'
import { traceCalls } from '#telemetry/tracing.ts'
import { importCalendar } from '#features/distribution/calendar-feeds/import-calendar.ts'
import { calendarFeedSchedule, FetchCalendarFeed } from '#features/distribution/calendar-feeds/jobs.ts'
import { continueImport } from '#features/distribution/imports/continue-import.ts'
import { importPhotos } from '#features/distribution/imports/import-photos.ts'
import { goLive } from '#features/distribution/imports/go-live.ts'
import { ContinueImport, GoLive, ImportPhotos } from '#features/distribution/imports/jobs.ts'
import { checkTargetHealth } from '#features/distribution/pms-access/health-check.ts'
import { createNoticeApplier } from '#features/distribution/pms-bookings/apply-notice.ts'
import { retryOpenConflict } from '#features/distribution/pms-bookings/close-conflict.ts'
import {
  MoveRelinkedBookings,
  pmsBookingSchedule,
  PollBookings,
  RetryBookingConflict,
} from '#features/distribution/pms-bookings/jobs.ts'
import { moveRelinkedBookings } from '#features/distribution/pms-bookings/move-relinked.ts'
import { continueFileImport } from '#features/operations/file-imports/continue-file-import.ts'
import { ContinueFileImport } from '#features/operations/file-imports/jobs.ts'
import { pollBookings } from '#features/distribution/pms-bookings/poll-bookings.ts'
import { ProcessMessage } from '#features/distribution/pms-messages/jobs.ts'
import { processMessage } from '#features/distribution/pms-messages/process-message.ts'
import { runTarget } from '#features/distribution/sync/engine/run-target.ts'
import { syncSchedule } from '#features/distribution/sync/engine/schedule.ts'
import { verifyTarget } from '#features/distribution/sync/engine/verify-target.ts'
import { CheckTarget, SyncTarget, VerifyTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { openFairQueue } from '#features/inventory/media/fair-queue.ts'
import { mediaSchedule, RemoveOrphanedFiles } from '#features/inventory/media/jobs.ts'
import { removeOrphanedFiles } from '#features/inventory/media/remove-orphaned-files.ts'
import { DeliverEvent, NotifyOfEvent } from '#features/messaging/events/record-events.ts'
import { SendNotification } from '#features/messaging/notifications/jobs.ts'
import { planNotifications } from '#features/messaging/notifications/plan-notifications.ts'
import { sendNotification } from '#features/messaging/notifications/send-notification.ts'
import { createDeliveries } from '#features/messaging/webhooks/create-deliveries.ts'
import { deliverWebhooks } from '#features/messaging/webhooks/deliver-webhooks.ts'
import { webhookSchedule, DeliverWebhooks, ReplayPeriod } from '#features/messaging/webhooks/jobs.ts'
import { replayBatch } from '#features/messaging/webhooks/replay-period.ts'
import { DeleteExport, RunExport } from '#features/operations/organization-export/jobs.ts'
import { maxFileBytes } from '#features/operations/organization-export/export.ts'
import { deleteExpiredExport, runExport } from '#features/operations/organization-export/run-export.ts'
import { retentionSchedule } from '#features/operations/retention/delete-expired.ts'
import { expireHold } from '#features/reservations/bookings/change-booking.ts'
import {
  bookingSchedule,
  ConfirmPaid,
  ExpireHold,
  SettleCancellation,
  WithdrawRequests,
} from '#features/reservations/bookings/jobs.ts'
import { eraseGuest, erasePmsBooking } from '#features/reservations/guests/erase-guest.ts'
import { guestSchedule, ErasePmsBooking, EraseGuest } from '#features/reservations/guests/jobs.ts'
import { confirmPaid } from '#features/reservations/payments/confirm-paid.ts'
import { paymentSchedule, SendRefund, SettlePayment } from '#features/reservations/payments/jobs.ts'
import { sendRefund } from '#features/reservations/payments/send-refund.ts'
import { settleCancellation } from '#features/reservations/payments/settle-cancellation.ts'
import { withdrawRequests } from '#features/reservations/payments/withdraw-requests.ts'
import { settlePayment } from '#features/reservations/payments/settle-payment.ts'
import { sessionSchedule } from '#features/tenancy/session/report-identity-conflict.ts'
import type { Resources } from './resources.ts'

/** What one of the workers runs at an interval, whichever queues it works. */
export const periodicTasks = ({ config: { retention }, payments }: Resources): readonly PeriodicTask[] => [
  ...syncSchedule,
  ...calendarFeedSchedule,
  ...pmsBookingSchedule,
  ...bookingSchedule,
  ...paymentSchedule(payments),
  ...guestSchedule(retention),
  ...mediaSchedule,
  ...webhookSchedule,
  ...sessionSchedule,
  ...retentionSchedule(retention),
]

/** The queues that a worker is started for. */
export const workedQueues = ['sync', 'payments', 'upkeep', 'webhooks', 'notifications'] as const
type WorkedQueue = (typeof workedQueues)[number]
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
    runJobs(
      { queue, database, concurrency: config.worker.concurrency },
      name,
      handlers.filter(({ job }) => job.queue === name),
    )
  const stopScheduler = startScheduler({ database }, periodicTasks(resources))
  return async (graceMs) => {
    await stopScheduler()
    await queue.close(graceMs)
  }
}

/** What each job runs. */
function buildHandlers(resources: Resources): readonly Handler[] {
  const { pms, vault, egress, config, mail, sms, payments, storage } = resources
  const { publicUrl } = config.http
  const { timeoutMs } = config.pms
  const engine = { pms, vault, timeoutMs, ...config.sync }
  const polling = { pms, vault, timeoutMs, inbox: { publicUrl, ...config.pms.webhooks } }
  const messages = { pms, applyNotice: createNoticeApplier({ pms, vault, timeoutMs }) }
  const calendars = { egress: traceCalls('calendar', egress, 'request'), vault }
  const webhooks = { egress: traceCalls('webhook', egress, 'request'), vault }
  const sending = { mail, sms, publicUrl }
  const photos = {
    ...{ egress: traceCalls('photo', egress, 'request'), storage, quotaBytes: config.media.quotaBytes },
    ...{ uploads: join(config.home, 'uploads'), runInTurn: openFairQueue(2, 40) },
  }
  const exporting = { config, storage, uploads: join(config.home, 'uploads'), maxFileBytes }
  const erasing = { vault, dataDirectory: config.home }
  return [
    handle(SyncTarget, (scope, { targetId }, run) => runTarget(scope, engine, targetId, run)),
    handle(VerifyTarget, (scope, { targetId }, run) => verifyTarget(scope, engine, targetId, run)),
    handle(CheckTarget, (scope, { targetId }) => checkTargetHealth(scope, engine, targetId)),
    handle(PollBookings, (scope, { targetId }, run) => pollBookings(scope, polling, targetId, run)),
    handle(MoveRelinkedBookings, (scope, { listingId }) => moveRelinkedBookings(scope, pms, listingId)),
    handle(RetryBookingConflict, (scope, { conflictId }) => retryOpenConflict(scope, pms, conflictId)),
    handle(ProcessMessage, (scope, { messageId, body }, run) =>
      processMessage(scope, messages, messageId, body, run),
    ),
    handle(ContinueImport, (scope, { importId }, run) => continueImport(scope, engine, importId, run)),
    handle(GoLive, (scope, payload, run) => goLive(scope, payload, run)),
    handle(ImportPhotos, (scope, { importId }, run) => importPhotos(scope, photos, importId, run)),
    handle(ContinueFileImport, (scope, { importId }, run) => continueFileImport(scope, importId, run)),
    handle(RunExport, (scope, { exportId }, run) => runExport(scope, exporting, exportId, run)),
    handle(DeleteExport, (scope, { exportId }) => deleteExpiredExport(scope, storage, exportId)),
    handle(FetchCalendarFeed, (scope, { feedId }, run) => importCalendar(scope, calendars, feedId, run)),

    handle(ExpireHold, (scope, { bookingId }) => expireHold(scope, bookingId)),
    handle(SettlePayment, (scope, { intentId }) => settlePayment(scope, { payments, vault }, intentId)),
    handle(ConfirmPaid, (scope, { bookingId }) => confirmPaid(scope, bookingId)),
    handle(SettleCancellation, (scope, { bookingId }) => settleCancellation(scope, bookingId)),
    handle(WithdrawRequests, (scope, { bookingId }) => withdrawRequests(scope, bookingId)),
    handle(SendRefund, (scope, { refundId }) => sendRefund(scope, payments, refundId)),
    handle(EraseGuest, (scope, { erasureId }, { signal }) => eraseGuest(scope, erasing, erasureId, signal)),
    handle(ErasePmsBooking, (scope, booking, { signal }) => erasePmsBooking(scope, booking, signal)),

    handle(DeliverEvent, (scope, { eventId }) => createDeliveries(scope, eventId)),
    handle(DeliverWebhooks, (scope, { endpointId }, run) =>
      deliverWebhooks(scope, webhooks, endpointId, run),
    ),
    handle(ReplayPeriod, (scope, { endpointId, input, after }) =>
      replayBatch(scope, endpointId, input, after),
    ),
    handle(NotifyOfEvent, (scope, { eventId }) => planNotifications(scope, sms.isConfigured, eventId)),
    handle(SendNotification, (scope, { notificationId }) => sendNotification(scope, sending, notificationId)),

    handle(RemoveOrphanedFiles, (scope, _, { signal }) => removeOrphanedFiles(scope, storage, signal)),
  ]
}
