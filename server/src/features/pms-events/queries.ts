import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { pageOf, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import type { Notice } from '#outside/pms/pms-notice.ts'
import type { MessageStatus } from './webhook-message.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'channel_target_id', 'status', 'kind'],
  indexed: ['channel_target_id', 'status', 'kind'],
}

interface Period {
  readonly received_from?: string
  readonly received_to?: string
}

export const listMessages = (
  scope: Scope,
  { received_from, received_to, ...filter }: Period,
  page: PageRequest,
) =>
  rows(
    scope,
    pageOf(
      'm',
      filter,
      listColumns,
      page,
      (where) => sql<Listed>`
      select m.id, m.json, ${sortColumn('m', page)} as sort_value from webhook_messages m
      where m.org_id = ${scope.orgId}
        ${received_from ? sql`and m.received_at >= ${received_from}::timestamptz` : sql``}
        ${received_to ? sql`and m.received_at <= ${received_to}::timestamptz` : sql``}
        ${where}`,
    ),
  )

export async function findMessage(scope: Scope, id: string): Promise<Stored & { body: string }> {
  const found = await first(
    scope,
    sql<Stored & { body: string }>`select json, version, body from webhook_messages
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('webhook message', id)
  return found
}

/** The targets that a message may be for: one is an answer, two are none. */
export async function targetsFor(
  database: Database,
  named: string | null,
  { properties, listings, pmsAccount }: Pick<Notice, 'properties' | 'listings' | 'pmsAccount'>,
): Promise<{ org_id: string; channel_target_id: string }[]> {
  if (named === null && properties.length === 0 && listings.length === 0) return []
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from webhook_targets(${named}::uuid, ${properties}::text[], ${listings}::text[], ${pmsAccount})`,
  ])
  return found as { org_id: string; channel_target_id: string }[]
}

/** Whose a channel target is, and how often it may be told something. */
export async function ownerOfTarget(
  database: Database,
  targetId: string,
): Promise<{ orgId: string; tier: string } | null> {
  const [target] = await targetsFor(database, targetId, { properties: [], listings: [], pmsAccount: null })
  if (!target) return null
  const [found] = await database.pipelined({ orgId: target.org_id }, [
    sql<{ tier: string }>`select tier from organizations where id = ${target.org_id}`,
  ])
  const [organization] = found as { tier: string }[]
  return organization ? { orgId: target.org_id, tier: organization.tier } : null
}

export interface NewMessage {
  readonly source: string
  readonly kind: string
  readonly messageId: string
  readonly body: string
  readonly signed: boolean
  readonly occurredAt: string | null
}

/** Keeps a message once; of a copy, only that it came. The id when it is new. */
export async function keepMessage(
  transaction: Transaction,
  target: { id: string; account_id: string },
  { source, kind, messageId, body, signed, occurredAt }: NewMessage,
): Promise<string | undefined> {
  const [row] = await rows(
    transaction,
    sql<{ id: string; copies: number }>`insert into webhook_messages as m
        (org_id, account_id, channel_target_id, source, kind, message_id, body, signed, occurred_at, traceparent)
      values (${transaction.orgId}, ${target.account_id}, ${target.id}, ${source}, ${kind}, ${messageId}, ${body}, ${signed},
        ${occurredAt}::timestamptz, ${transaction.traceparent})
      on conflict on constraint webhook_message_once do update set copies = m.copies + 1 returning id, copies`,
  )
  return row!.copies === 1 ? row!.id : undefined
}

export async function keepUnrouted(
  transaction: Transaction,
  { source, kind, messageId, body, signed }: NewMessage,
): Promise<string | undefined> {
  const [row] = await rows(
    transaction,
    sql<{ id: string; copies: number }>`insert into unrouted_webhooks as m
        (source, kind, message_id, body, signed, traceparent)
      values (${source}, ${kind}, ${messageId}, ${body}, ${signed}, ${transaction.traceparent})
      on conflict (source, message_id) do update set copies = m.copies + 1 returning id, copies`,
  )
  return row!.copies === 1 ? row!.id : undefined
}

export interface MessageToActOn {
  readonly id: string
  readonly channel_target_id: string
  readonly source: string
  readonly kind: string
  readonly attempts: number
  readonly version: number
  readonly occurred_at: string | null
  readonly received_at: string
}

export const lookForWaiting = (scope: Scope, id: string) =>
  first(
    scope,
    sql<MessageToActOn>`select id, channel_target_id, source, kind, attempts, version, occurred_at, received_at
      from webhook_messages where org_id = ${scope.orgId} and id = ${id} and status = 'received'`,
  )

/** What one attempt came to. */
export const settleMessage = (scope: Scope, id: string, status: MessageStatus, error: string | null) =>
  rows(
    scope,
    sql`update webhook_messages set status = ${status}, attempts = attempts + 1, error_message = left(${error}, 1000),
        processed_at = case when ${status} <> 'received' then clock_timestamp() end
      where org_id = ${scope.orgId} and id = ${id} and status = 'received'`,
  )

/** Makes a message wait again, as if it had just come. @throws NotFound */
export async function renewMessage(
  transaction: Transaction,
  id: string,
): Promise<Stored & { body: string; kind: string }> {
  const row = await first(
    transaction,
    sql<
      Stored & { body: string; kind: string }
    >`update webhook_messages set status = 'received', attempts = 0, error_message = null,
        processed_at = null, version = version + 1
      where org_id = ${transaction.orgId} and id = ${id} returning json, version, body, kind`,
  )
  if (!row) throw new NotFound('webhook message', id)
  return row
}

export const listingsNamed = (scope: Scope, targetId: string, externalIds: readonly string[]) =>
  rows(
    scope,
    sql<{
      id: string
      unit_id: string
      account_id: string
    }>`select id, unit_id, account_id from channel_listings
      where org_id = ${scope.orgId} and channel_target_id = ${targetId} and external_id = any(${externalIds}::text[])`,
  )

export async function hasFailed(scope: Scope, targetId: string): Promise<boolean> {
  const row = await first(
    scope,
    sql`select 1 from webhook_messages
      where org_id = ${scope.orgId} and channel_target_id = ${targetId} and status = 'failed' limit 1`,
  )
  return row !== undefined
}
