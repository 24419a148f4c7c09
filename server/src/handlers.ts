import { importCalendar } from '#features/distribution/calendar-feeds/import-calendar.ts'
import { FetchCalendarFeed } from '#features/distribution/calendar-feeds/jobs.ts'
import { checkTargetHealth } from '#features/distribution/pms-access/health-check.ts'
import { createNoticeApplier } from '#features/distribution/pms-bookings/apply-notice.ts'
import { retryOpenConflict } from '#features/distribution/pms-bookings/close-conflict.ts'
import { PollBookings, RetryBookingConflict } from '#features/distribution/pms-bookings/jobs.ts'
import { pollBookings } from '#features/distribution/pms-bookings/poll-bookings.ts'
import { ProcessMessage } from '#features/distribution/pms-messages/jobs.ts'
import { processMessage } from '#features/distribution/pms-messages/process-message.ts'
import { runTarget } from '#features/distribution/sync/engine/run-target.ts'
import { verifyTarget } from '#features/distribution/sync/engine/verify-target.ts'
import { CheckTarget, SyncTarget, VerifyTarget } from '#features/distribution/sync/schedule/jobs.ts'
import { RemoveOrphanedFiles } from '#features/inventory/media/jobs.ts'
import { removeOrphanedFiles } from '#features/inventory/media/remove-orphaned-files.ts'
import { DeliverEvent, NotifyOfEvent } from '#features/messaging/events/jobs.ts'
import { SendNotification } from '#features/messaging/notifications/jobs.ts'
import { planNotifications } from '#features/messaging/notifications/plan-notifications.ts'
import { sendNotification } from '#features/messaging/notifications/send-notification.ts'
import { createDeliveries } from '#features/messaging/webhooks/create-deliveries.ts'
import { deliverWebhooks } from '#features/messaging/webhooks/deliver-webhooks.ts'
import { DeliverWebhooks, ReplayPeriod } from '#features/messaging/webhooks/jobs.ts'
import { replayBatch } from '#features/messaging/webhooks/replay-period.ts'
import { expireHold } from '#features/reservations/bookings/change-booking.ts'
import { ConfirmPaid, ExpireHold, SettleCancellation } from '#features/reservations/bookings/jobs.ts'
import { eraseGuest, erasePmsBooking } from '#features/reservations/guests/erase-guest.ts'
import { ErasePmsBooking, EraseGuest } from '#features/reservations/guests/jobs.ts'
import { confirmPaid } from '#features/reservations/payments/confirm-paid.ts'
import { SendRefund, SettlePayment } from '#features/reservations/payments/jobs.ts'
import { sendRefund } from '#features/reservations/payments/send-refund.ts'
import { settleCancellation } from '#features/reservations/payments/settle-cancellation.ts'
import { settlePayment } from '#features/reservations/payments/settle-payment.ts'
import { handle, type Handler } from '#queue/job.ts'
import type { Resources } from './resources.ts'
import { traceCalls } from '#telemetry/tracing.ts'

/** What each job runs. */
export function buildHandlers(resources: Resources): readonly Handler[] {
  const { pms, vault, egress, config, mail, sms, payments, storage } = resources
  const { publicUrl } = config.http
  const { timeoutMs } = config.pms
  const engine = { pms, vault, timeoutMs, ...config.sync }
  const polling = { pms, vault, timeoutMs, inbox: { publicUrl, ...config.pms.webhooks } }
  const messages = { pms, applyNotice: createNoticeApplier({ pms, vault, timeoutMs }) }
  const calendars = { egress: traceCalls('calendar', egress, 'request'), vault }
  const webhooks = { egress: traceCalls('webhook', egress, 'request'), vault }
  const sending = { mail, sms, publicUrl }
  const erasing = { vault, dataDirectory: config.home }
  return [
    handle(SyncTarget, (scope, { targetId }, run) => runTarget(scope, engine, targetId, run)),
    handle(VerifyTarget, (scope, { targetId }, run) => verifyTarget(scope, engine, targetId, run)),
    handle(CheckTarget, (scope, { targetId }) => checkTargetHealth(scope, engine, targetId)),
    handle(PollBookings, (scope, { targetId }, run) => pollBookings(scope, polling, targetId, run)),
    handle(RetryBookingConflict, (scope, { conflictId }) => retryOpenConflict(scope, pms, conflictId)),
    handle(ProcessMessage, (scope, { messageId, body }, run) =>
      processMessage(scope, messages, messageId, body, run),
    ),
    handle(FetchCalendarFeed, (scope, { feedId }, run) => importCalendar(scope, calendars, feedId, run)),

    handle(ExpireHold, (scope, { bookingId }) => expireHold(scope, bookingId)),
    handle(SettlePayment, (scope, { intentId }) => settlePayment(scope, { payments, vault }, intentId)),
    handle(ConfirmPaid, (scope, { bookingId }) => confirmPaid(scope, bookingId)),
    handle(SettleCancellation, (scope, { bookingId }) => settleCancellation(scope, bookingId)),
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
