import { job } from '#queue/job.ts'

/** Creates the notifications of an event. */
export const NotifyOfEvent = job<{ eventId: string }>({
  name: 'notify-of-event',
  queue: 'notifications',
  key: ({ eventId }) => eventId,
})

/** Creates a delivery for each webhook endpoint that subscribes to an event. */
export const DeliverEvent = job<{ eventId: string }>({
  name: 'deliver-event',
  queue: 'webhooks',
  key: ({ eventId }) => eventId,
})
