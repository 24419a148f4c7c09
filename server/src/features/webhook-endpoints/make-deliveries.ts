import { atomically, type Scope } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { DeliverWebhooks } from './delivery-job.ts'
import { insertDeliveries } from './send-queries.ts'

/** A delivery of an event for each endpoint that wants it, and the jobs that send them. */
export const makeDeliveries = (scope: Scope, eventId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const made = await insertDeliveries(transaction, eventId)
    const asked = made.map(({ webhook_endpoint_id }) => ({ payload: { endpointId: webhook_endpoint_id } }))
    await enqueue(transaction, DeliverWebhooks, asked)
  })
