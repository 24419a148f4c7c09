import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { enqueue } from '#queue/job.ts'
import { trialType } from '../events/event.ts'
import { DeliverWebhooks } from './delivery-job.ts'

const listColumns = {
  columns: ['org_id', 'webhook_endpoint_id', 'event_id', 'event_type', 'status'],
  indexed: ['webhook_endpoint_id'],
}

export const listDeliveries = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    pageOf(
      'd',
      filter,
      listColumns,
      page,
      (where) => sql<Listed>`
      select d.id, d.json, ${sortColumn('d', page)} as sort_value from webhook_deliveries d
      where d.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findDelivery(scope: Scope, id: string): Promise<Stored> {
  const row = await first(
    scope,
    sql<Stored>`select json, version from webhook_deliveries where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('webhook delivery', id)
  return row
}

/** An event of no account and in no feed, for one endpoint. @throws NotFound, Conflict */
export const addTrial = (scope: Scope, endpointId: string): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    await holdActive(transaction, endpointId)
    const data = { message: 'This is a test. Nothing has happened.', webhook_endpoint_id: endpointId }
    const [row] = await rows(
      transaction,
      sql<Stored & { id: string }>`with event as (
          insert into events (org_id, type, subject_id, data, only_for)
          values (${scope.orgId}, ${trialType}, ${endpointId}, ${JSON.stringify(data)}, ${endpointId}) returning id)
        insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_type, next_attempt_at)
        select ${scope.orgId}, ${endpointId}, id, ${trialType}, now() from event returning id, json, version`,
    )
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    return row!
  })

/** Sends a delivery again, at once; one that waits does not wait any longer. @throws NotFound, Conflict */
export const replayDelivery = (scope: Scope, id: string): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const delivery = await first(
      transaction,
      sql<{ webhook_endpoint_id: string }>`select webhook_endpoint_id from webhook_deliveries
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    if (!delivery) throw new NotFound('webhook delivery', id)
    const endpointId = delivery.webhook_endpoint_id
    await holdActive(transaction, endpointId)
    await rows(
      transaction,
      sql`update webhook_deliveries d set status = 'pending', attempts = 0, next_attempt_at = now(),
          replays = replays + 1, version = version + 1, claim = null, claimed_until = null
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    return await findDelivery(transaction, id)
  })

/** The endpoint stays, and stays active, as long as this lasts. */
export async function holdActive(transaction: Transaction, id: string): Promise<void> {
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
      'The webhook endpoint is switched off: set its status to active first.',
    )
}
