import { job } from '#queue/job.ts'

/** Sends what is due for one webhook endpoint. One job for all of it, so that one that hangs holds up one job. */
export const DeliverWebhooks = job<{ endpointId: string }>({
  name: 'deliver-webhooks',
  queue: 'webhooks',
  key: ({ endpointId }) => endpointId,
  resource: ({ endpointId }) => endpointId,
})
