import { randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import { assertVersion, type ExpectedVersion, type ListedRecord, type StoredRecord } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { DeliverWebhooks } from './jobs.ts'
import { generateSecret, placeOf, type EndpointFields } from './webhook-endpoint.ts'
import { deleteDeliveries } from './delivery-queries.ts'

const filterColumns = ['org_id', 'account_id', 'status']

export const listEndpoints = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select endpoint.id, endpoint.json, ${sortColumn('endpoint', page)} as sort_value
      from webhook_endpoints endpoint
      where endpoint.org_id = ${scope.orgId}
        ${filterClause('endpoint', filter, filterColumns)}${pageClause('endpoint', page)}`,
  )

export async function findEndpoint(scope: Scope, id: string): Promise<StoredRecord & { secret: Buffer }> {
  const row = await first(
    scope,
    sql<StoredRecord & { secret: Buffer }>`select json, version, secret from webhook_endpoints
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('webhook endpoint', id)
  return row
}

/** Returns the secret too, which is shown only once. @throws Invalid, Conflict */
export const createEndpoint = (scope: Scope, vault: Vault, fields: EndpointFields, maxEndpoints: number) =>
  atomically(scope, async (transaction) => {
    await assertBelowLimit(transaction, maxEndpoints)
    await assertAccountExists(transaction, fields.account_id)
    const id = randomUUID()
    const secret = generateSecret()
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`insert into webhook_endpoints (id, org_id, account_id, url, description, event_types, status, secret)
        values (${id}, ${scope.orgId}, ${fields.account_id}, ${fields.url}, ${fields.description}, ${fields.event_types},
          ${fields.status}, ${vault.seal(secret, placeOf(scope.orgId, id))}) returning json, version`,
    )
    return { id, secret, ...row! }
  })

/**
 * Updates an endpoint with the result of `edit`. One that becomes active again gets its pending deliveries at once. A run
 * that still has the previous address claims no more deliveries.
 * @throws NotFound, PreconditionFailed, Invalid
 */
export const updateEndpoint = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  edit: (current: EndpointFields) => EndpointFields,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { json, version, ...fields } = await lockEndpoint(transaction, id)
    assertVersion(expected, version)
    const next = edit(fields)
    if (JSON.stringify(fields) === JSON.stringify(next)) return { json, version }
    if (next.account_id !== fields.account_id) await assertAccountExists(transaction, next.account_id)
    const hasNewStatus = next.status !== fields.status
    const hasNewUrl = next.url !== fields.url
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`update webhook_endpoints set account_id = ${next.account_id}, url = ${next.url},
          description = ${next.description}, event_types = ${next.event_types}, status = ${next.status},
          disabled_reason = case when ${hasNewStatus} then null else disabled_reason end,
          failing_since = case when ${hasNewStatus || hasNewUrl} then null else failing_since end,
          held_until = case when ${hasNewStatus || hasNewUrl} then null else held_until end,
          run = case when ${hasNewUrl} then null else run end,
          run_until = case when ${hasNewUrl} then null else run_until end,
          version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    if (hasNewStatus && next.status === 'active') {
      await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId: id } }])
      await resolveAlertIfNoneDisabled(transaction)
    }
    return row!
  })

/** Deletes an endpoint after its deliveries, which may be millions. A repetition continues. @throws NotFound, PreconditionFailed */
export async function deleteEndpoint(scope: Scope, id: string, expected: ExpectedVersion): Promise<void> {
  assertVersion(expected, (await findEndpoint(scope, id)).version)
  for (let last: string | null = '-infinity'; last !== null;) last = await deleteDeliveries(scope, id, last)
  await atomically(scope, async (transaction) => {
    assertVersion(expected, (await lockEndpoint(transaction, id)).version)
    await rows(transaction, sql`delete from webhook_endpoints where org_id = ${scope.orgId} and id = ${id}`)
    await resolveAlertIfNoneDisabled(transaction)
  })
}

/**
 * Sets a new secret. The previous one signs too for a day, so that the receiver can change over. A run that has only the
 * previous one claims no more deliveries.
 */
export const rotateSecret = (scope: Scope, vault: Vault, id: string) =>
  atomically(scope, async (transaction) => {
    await lockEndpoint(transaction, id)
    const secret = generateSecret()
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`update webhook_endpoints set previous_secret = secret, secret_set_at = now(), previous_until = now() + interval '24 hours',
          secret = ${vault.seal(secret, placeOf(scope.orgId, id))},
          run = null, run_until = null, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    return { secret, ...row! }
  })

async function lockEndpoint(transaction: Transaction, id: string): Promise<StoredRecord & EndpointFields> {
  const row = await first(
    transaction,
    sql<StoredRecord & EndpointFields>`select json, version, account_id, url, description, event_types, status
      from webhook_endpoints where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!row) throw new NotFound('webhook endpoint', id)
  return row
}

async function assertBelowLimit(transaction: Transaction, maxEndpoints: number): Promise<void> {
  const { orgId } = transaction
  const [, [{ count }]] = (await Promise.all([
    rows(
      transaction,
      sql`select pg_advisory_xact_lock(hashtextextended('webhook endpoints ' || ${orgId}::text, 0))`,
    ),
    rows(transaction, sql`select count(*)::int as count from webhook_endpoints where org_id = ${orgId}`),
  ])) as [unknown, [{ count: number }]]
  if (count >= maxEndpoints)
    throw new Conflict(
      'limit-reached',
      `The organization has ${count} webhook endpoints, and the limit is ${maxEndpoints}. Delete one first.`,
    )
}

async function assertAccountExists(transaction: Transaction, id: string | null): Promise<void> {
  if (id === null) return
  const found = await first(
    transaction,
    sql`select 1 from accounts where org_id = ${transaction.orgId} and id = ${id}`,
  )
  if (!found) throw unknownReference('account_id', 'account')
}

/** The alert covers all disabled endpoints, so it is resolved with the last of them. */
async function resolveAlertIfNoneDisabled(transaction: Transaction): Promise<void> {
  const { orgId } = transaction
  // Of two changes at the same time, the later one reads the endpoints when the earlier one is committed.
  await rows(
    transaction,
    sql`select 1 from alerts
      where org_id = ${orgId} and kind = 'webhook.disabled' and resolved_at is null
      for update`,
  )
  const disabled = await first(
    transaction,
    sql`select 1 from webhook_endpoints where org_id = ${orgId} and disabled_reason is not null limit 1`,
  )
  if (!disabled) await resolveAlerts(transaction, 'webhook.disabled', { isAny: true })
}
