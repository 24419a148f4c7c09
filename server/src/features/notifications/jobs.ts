import { handle } from '#queue/job.ts'
import { NotifyOfEvent } from '../events/event-jobs.ts'
import { planNotifications } from './plan-notifications.ts'
import { SendNotification } from './send-job.ts'
import { sendNotification, type Means } from './send-notification.ts'

export const notificationJobs = (means: Means) => [
  handle(NotifyOfEvent, (scope, { eventId }) => planNotifications(scope, means.sms.isConfigured, eventId)),
  handle(SendNotification, (scope, { notificationId }) => sendNotification(scope, means, notificationId)),
]
