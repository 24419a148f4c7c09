import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { semanticError } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { internalEventTypes } from '#features/messaging/events/event.ts'
import { DeliverWebhooks, ReplayPeriod, type ReplayPosition } from './jobs.ts'
import { lockActiveEndpoint } from './delivery-queries.ts'
import type { WebhookReplayInput } from './webhook-delivery.ts'

const batchSize = 500

/** Sends the events of a period again. Returns their number. @throws NotFound, Conflict, Invalid */
export const replayPeriod = (scope: Scope, endpointId: string, input: WebhookReplayInput): Promise<number> =>
  atomically(scope, async (transaction) => {
    if (Date.parse(input.from) >= Date.parse(input.to))
      throw semanticError('to', 'to must be later than from.')
    await lockActiveEndpoint(transaction, endpointId)
    const count = await countSelected(transaction, endpointId, input)
    await enqueue(transaction, ReplayPeriod, [{ payload: { endpointId, input, after: null } }])
    return count
  })

/** Queues one batch of a replay, and the job for the next one. */
export const replayBatch = (
  scope: Scope,
  endpointId: string,
  input: WebhookReplayInput,
  after: ReplayPosition | null,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const last = await queueBatch(transaction, endpointId, input, after)
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    if (last) await enqueue(transaction, ReplayPeriod, [{ payload: { endpointId, input, after: last } }])
  })

/** After an outage of the endpoint, the next attempt may be many hours away. */
const waitsForRetry = sql`(delivery.status = 'pending' and delivery.attempts > 0 and delivery.next_attempt_at > now())`

/** The events of a period that the endpoint subscribes to now, with the deliveries that exist. */
function selectedEvents(
  { orgId }: Scope,
  endpointId: string,
  { from, to, types, status }: WebhookReplayInput,
) {
  const statusFilter = {
    missing: sql`delivery.id is null`,
    failed: sql`(delivery.status = 'failed' or ${waitsForRetry})`,
    delivered: sql`delivery.status = 'delivered'`,
    all: sql`(delivery.id is null or delivery.status <> 'pending' or ${waitsForRetry})`,
  }
  return sql`
    from events event
    join webhook_endpoints endpoint
      on endpoint.org_id = event.org_id
      and endpoint.id = ${endpointId}
      and endpoint.event_types && array[event.type, '*']
      and (endpoint.account_id is null or endpoint.account_id = event.account_id)
    left join webhook_deliveries delivery
      on delivery.org_id = event.org_id
      and delivery.webhook_endpoint_id = endpoint.id
      and delivery.event_id = event.id
      and delivery.event_occurred_at = event.occurred_at
    where event.org_id = ${orgId}
      and event.occurred_at >= ${from}::timestamptz
      and event.occurred_at < ${to}::timestamptz
      and event.only_for is null
      and event.type <> all(${internalEventTypes})
      and (${types ?? null}::text[] is null or event.type = any(${types ?? null}::text[]))
      and ${statusFilter[status ?? 'all']}`
}

async function countSelected(scope: Scope, endpointId: string, input: WebhookReplayInput): Promise<number> {
  const row = await first(
    scope,
    sql<{ count: number }>`select count(*)::int as count ${selectedEvents(scope, endpointId, input)}`,
  )
  return row!.count
}

/**
 * Makes the next batch due, oldest events first. Deliveries that are due already stay as they are. Returns the
 * position to continue from, or null at the end.
 */
async function queueBatch(
  transaction: Transaction,
  endpointId: string,
  input: WebhookReplayInput,
  after: ReplayPosition | null,
): Promise<ReplayPosition | null> {
  const afterPosition = after
    ? sql`and (event.occurred_at, event.id) > (${after.occurred_at}::timestamptz, ${after.id}::uuid)`
    : sql``
  const batch = await rows(
    transaction,
    sql<ReplayPosition>`
      with batch as materialized (
        select event.id, event.type, event.occurred_at
        ${selectedEvents(transaction, endpointId, input)} ${afterPosition}
        order by event.occurred_at, event.id
        limit ${batchSize}
      ),
      queued as (
        insert into webhook_deliveries as delivery (
          org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, next_attempt_at, replays
        )
        select ${transaction.orgId}, ${endpointId}, id, occurred_at, type, now(), 1
        from batch
        on conflict (org_id, webhook_endpoint_id, event_id, event_occurred_at) do update
        set
          status = 'pending',
          attempts = 0,
          next_attempt_at = now(),
          replays = delivery.replays + 1,
          version = delivery.version + 1
        where delivery.status <> 'pending' or ${waitsForRetry}
      )
      select occurred_at, id
      from batch
      order by occurred_at, id`,
  )
  return batch.length === batchSize ? batch.at(-1)! : null
}
