import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { sortColumn, type PageRequest, buildPageQuery, rareValues } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import { DeliverWebhooks } from './jobs.ts'
import { testEventType } from '#features/messaging/events/event.ts'

const listColumns = {
  columns: ['org_id', 'webhook_endpoint_id', 'event_id', 'event_type', 'status'],
  indexed: ['webhook_endpoint_id'],
  usual: { status: { values: ['delivered'], others: sql`delivery.status <> 'delivered'` } },
  lookups: rareValues('webhook_deliveries', ['event_type']),
}

export const listDeliveries = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'delivery',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select delivery.id, delivery.json, ${sortColumn('delivery', page)} as sort_value
        from webhook_deliveries delivery
        where delivery.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findDelivery(scope: Scope, id: string): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<StoredRecord>`select json, version from webhook_deliveries where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('webhook delivery', id)
  return row
}

/** Creates a test event for one endpoint only; the feed does not contain it. @throws NotFound, Conflict */
export const createTestDelivery = (
  scope: Scope,
  endpointId: string,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    await lockActiveEndpoint(transaction, endpointId)
    const data = { message: 'This is a test. Nothing has happened.', webhook_endpoint_id: endpointId }
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`with event as (
          insert into events (org_id, type, subject_id, data, only_for)
          values (${scope.orgId}, ${testEventType}, ${endpointId}, ${JSON.stringify(data)}, ${endpointId})
          returning id, occurred_at)
        insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, next_attempt_at)
        select ${scope.orgId}, ${endpointId}, id, occurred_at, ${testEventType}, now() from event returning id, json, version`,
    )
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    return row!
  })

/** Sends a delivery again, at once, even if its next attempt is later. @throws NotFound, Conflict */
export const replayDelivery = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const delivery = await first(
      transaction,
      sql<{ webhook_endpoint_id: string }>`select webhook_endpoint_id from webhook_deliveries
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    if (!delivery) throw new NotFound('webhook delivery', id)
    const endpointId = delivery.webhook_endpoint_id
    await lockActiveEndpoint(transaction, endpointId)
    await rows(
      transaction,
      sql`update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now(),
          replays = replays + 1, version = version + 1, claim = null, claimed_until = null
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    return await findDelivery(transaction, id)
  })

/** Keeps the endpoint active until the end of the transaction. @throws NotFound, Conflict */
export async function lockActiveEndpoint(transaction: Transaction, id: string): Promise<void> {
  const endpoint = await first(
    transaction,
    sql<{
      status: string
    }>`select status from webhook_endpoints where org_id = ${transaction.orgId} and id = ${id}
      for share`,
  )
  if (!endpoint) throw new NotFound('webhook endpoint', id)
  if (endpoint.status !== 'active')
    throw new Conflict(
      'endpoint-disabled',
      'The webhook endpoint is disabled. Set its status to active first.',
    )
}

const deleteBatchSize = 10_000

/** Deletes the oldest deliveries that were created at a time or later. Returns the time to continue from, null at the end. */
export async function deleteDeliveries(
  scope: Scope,
  endpointId: string,
  from: string,
): Promise<string | null> {
  const row = await first(
    scope,
    sql<{ last: string | null; count: number }>`
      with deleted as (
        delete from webhook_deliveries
        where (org_id, id, event_occurred_at) in (
          select org_id, id, event_occurred_at
          from webhook_deliveries
          where org_id = ${scope.orgId}
            and webhook_endpoint_id = ${endpointId}
            and created_at >= ${from}::timestamptz
          order by created_at
          limit ${deleteBatchSize}
        )
        returning created_at
      )
      select max(created_at) as last, count(*)::int as count
      from deleted`,
  )
  return row!.count === deleteBatchSize ? row!.last : null
}
