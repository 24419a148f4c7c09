import { job } from '#queue/job.ts'
import type { WebhookReplayInput } from './webhook-delivery.ts'

/** Sends all due deliveries of a webhook endpoint. One job for all, so that an endpoint that hangs holds up one job. */
export const DeliverWebhooks = job<{ endpointId: string }>({
  name: 'deliver-webhooks',
  queue: 'webhooks',
  key: ({ endpointId }) => endpointId,
  resource: ({ endpointId }) => endpointId,
})

/** The last event that a replay has queued. */
export interface ReplayPosition {
  readonly occurred_at: string
  readonly id: string
}

/** Queues a batch of the deliveries of a replay. */
export const ReplayPeriod = job<{
  endpointId: string
  input: WebhookReplayInput
  after: ReplayPosition | null
}>({
  name: 'replay-period',
  queue: 'webhooks',
})
