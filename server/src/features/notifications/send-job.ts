import { job } from '#queue/job.ts'

/** Sends one message. */
export const SendNotification = job<{ notificationId: string }>({
  name: 'send-notification',
  queue: 'notifications',
  key: ({ notificationId }) => notificationId,
})
