import { job } from '#queue/job.ts'
import type { WebhookReplayInput } from './webhook-delivery.ts'
import { sql } from '#db/sql.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

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

export const webhookSchedule: readonly PeriodicTask[] = [
  { name: 'requeue-due-deliveries', intervalMs: 2_000, run: requeueDueDeliveries },
]

/** Enqueues deliveries whose next attempt is due, or whose worker was lost. */
export async function requeueDueDeliveries(context: TaskContext): Promise<void> {
  const endpoints = await findInAllOrganizations(
    context,
    sql<{ org_id: string; webhook_endpoint_id: string }>`select * from webhook_endpoints_due()`,
  )
  await enqueueForEach(context, DeliverWebhooks, endpoints, ({ webhook_endpoint_id }) => ({
    endpointId: webhook_endpoint_id,
  }))
}
