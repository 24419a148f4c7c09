import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { subscribesTo } from '#features/messaging/events/record-events.ts'
import { DeliverWebhooks } from './jobs.ts'

/** Creates a delivery of an event for each endpoint that subscribes to it, and the jobs that send them. */
export const createDeliveries = (scope: Scope, eventId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const deliveries = await insertDeliveries(transaction, eventId)
    const requests = deliveries.map(({ webhook_endpoint_id }) => ({
      payload: { endpointId: webhook_endpoint_id },
    }))
    await enqueue(transaction, DeliverWebhooks, requests)
  })

const insertDeliveries = (transaction: Transaction, eventId: string) =>
  rows(
    transaction,
    sql<{ webhook_endpoint_id: string }>`
      insert into webhook_deliveries (
        org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, next_attempt_at
      )
      select event.org_id, endpoint.id, event.id, event.occurred_at, event.type, now()
      from events event
      join webhook_endpoints endpoint
        on endpoint.org_id = event.org_id
        and ${subscribesTo(sql`event.type`, sql`event.account_id`)}
      where event.org_id = ${transaction.orgId} and event.id = ${eventId} and event.only_for is null
      on conflict (org_id, webhook_endpoint_id, event_id, event_occurred_at) do nothing
      returning webhook_endpoint_id`,
  )
