import { job } from '#queue/job.ts'

/** Sends one notification. */
export const SendNotification = job<{ notificationId: string }>({
  name: 'send-notification',
  queue: 'notifications',
  key: ({ notificationId }) => notificationId,
})
