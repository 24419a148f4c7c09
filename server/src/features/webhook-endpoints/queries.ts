import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { DeliverWebhooks } from './delivery-job.ts'
import { newSecret, placeOf, type EndpointFields } from './webhook-endpoint.ts'

const filterColumns = ['org_id', 'account_id', 'status']

export const listEndpoints = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select w.id, w.json, ${sortColumn('w', page)} as sort_value from webhook_endpoints w
      where w.org_id = ${scope.orgId}${filters('w', filter, filterColumns)}${pageClause('w', page)}`,
  )

export async function findEndpoint(scope: Scope, id: string): Promise<Stored & { secret: Buffer }> {
  const row = await first(
    scope,
    sql<Stored & { secret: Buffer }>`select json, version, secret from webhook_endpoints
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('webhook endpoint', id)
  return row
}

/** Answers with the secret too: nobody is shown it again. @throws Invalid, Conflict */
export const addEndpoint = (scope: Scope, vault: Vault, fields: EndpointFields, maxEndpoints: number) =>
  atomically(scope, async (transaction) => {
    await assertFewerThan(transaction, maxEndpoints)
    await refuseUnknownAccount(transaction, fields.account_id)
    const id = randomUUID()
    const secret = newSecret()
    const [row] = await rows(
      transaction,
      sql<Stored>`insert into webhook_endpoints (id, org_id, account_id, url, description, event_types, status, secret)
        values (${id}, ${scope.orgId}, ${fields.account_id}, ${fields.url}, ${fields.description}, ${fields.event_types},
          ${fields.status}, ${vault.seal(secret, placeOf(scope.orgId, id))}) returning json, version`,
    )
    return { id, secret, ...row! }
  })

/** Changes an endpoint as `edit` says. Switched on again, it gets at once what waits for it. @throws NotFound, Stale, Invalid */
export const changeEndpoint = (
  scope: Scope,
  id: string,
  expected: Expected,
  edit: (current: EndpointFields) => EndpointFields,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { json, version, ...fields } = await lockEndpoint(transaction, id)
    refuseStale(expected, version)
    const next = edit(fields)
    if (JSON.stringify(fields) === JSON.stringify(next)) return { json, version }
    if (next.account_id !== fields.account_id) await refuseUnknownAccount(transaction, next.account_id)
    const isSwitched = next.status !== fields.status
    const [row] = await rows(
      transaction,
      sql<Stored>`update webhook_endpoints set account_id = ${next.account_id}, url = ${next.url},
          description = ${next.description}, event_types = ${next.event_types}, status = ${next.status},
          disabled_reason = case when ${isSwitched} then null else disabled_reason end,
          failing_since = case when ${isSwitched} then null else failing_since end,
          held_until = case when ${isSwitched || next.url !== fields.url} then null else held_until end,
          version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    if (isSwitched && next.status === 'active') {
      await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId: id } }])
      await resolveDisabled(transaction)
    }
    return row!
  })

export const removeEndpoint = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    refuseStale(expected, (await lockEndpoint(transaction, id)).version)
    await rows(transaction, sql`delete from webhook_endpoints where org_id = ${scope.orgId} and id = ${id}`)
    await resolveDisabled(transaction)
  })

/** Another secret; the one before signs too for a day, so that the receiver can change over. */
export const rotateSecret = (scope: Scope, vault: Vault, id: string) =>
  atomically(scope, async (transaction) => {
    await lockEndpoint(transaction, id)
    const secret = newSecret()
    const [row] = await rows(
      transaction,
      sql<Stored>`update webhook_endpoints set previous_secret = secret, secret_set_at = now(), previous_until = now() + interval '24 hours',
          secret = ${vault.seal(secret, placeOf(scope.orgId, id))}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    return { secret, ...row! }
  })

async function lockEndpoint(transaction: Transaction, id: string): Promise<Stored & EndpointFields> {
  const row = await first(
    transaction,
    sql<Stored & EndpointFields>`select json, version, account_id, url, description, event_types, status
      from webhook_endpoints where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!row) throw new NotFound('webhook endpoint', id)
  return row
}

async function assertFewerThan(transaction: Transaction, maxEndpoints: number): Promise<void> {
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
      `The organization has ${count} webhook endpoints; it may have ${maxEndpoints}. Delete one first.`,
    )
}

async function refuseUnknownAccount(transaction: Transaction, id: string | null): Promise<void> {
  if (id === null) return
  const found = await first(
    transaction,
    sql`select 1 from accounts where org_id = ${transaction.orgId} and id = ${id}`,
  )
  if (!found) throw unknownReference('account_id', 'account')
}

/** The alert is about all that were switched off: it ends with the last of them. */
const resolveDisabled = (transaction: Transaction) =>
  rows(
    transaction,
    sql`update alerts set resolved_at = clock_timestamp(), version = version + 1
      where org_id = ${transaction.orgId} and kind = 'webhook.disabled' and resolved_at is null and not exists (
        select 1 from webhook_endpoints where org_id = ${transaction.orgId} and disabled_reason is not null)`,
  )
