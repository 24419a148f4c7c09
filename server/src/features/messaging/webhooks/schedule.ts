import { sql } from 'kysely'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { DeliverWebhooks } from './jobs.ts'

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
