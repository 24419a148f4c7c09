import { job } from '#queue/job.ts'

/** Tells people of an event: by mail, by SMS. */
export const NotifyOfEvent = job<{ eventId: string }>({
  name: 'notify-of-event',
  queue: 'notifications',
  key: ({ eventId }) => eventId,
})

/** Makes a delivery for each webhook endpoint that wants an event. */
export const DeliverEvent = job<{ eventId: string }>({
  name: 'deliver-event',
  queue: 'webhooks',
  key: ({ eventId }) => eventId,
})
