import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { deferToCommit, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, idsOfFew, ofFewLimit, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { Notice } from '#integrations/pms/pms-notice.ts'
import type { MessageStatus } from './webhook-message.ts'

const indexed = ['status', 'kind', 'channel_target_id']

interface Filter {
  readonly account_id?: readonly string[]
  readonly received_from?: string
  readonly received_to?: string
}

/**
 * The index of one value has the order of the list, so a page of it is read as far as it goes. Of several values, few
 * messages may have one of them, and a plan for any values may read all that have another.
 */
const listColumns = ({ orgId }: Scope, filter: object) => ({
  columns: ['org_id', 'account_id', ...indexed],
  ...(indexed.filter((name) => name in filter).length > 1 ? { findable: indexed } : { indexed }),
  // The messages of an account are those of its targets.
  lookups: {
    account_id: (accountIds: readonly unknown[]) =>
      idsOfFew(sql`
        select message.id
        from channel_targets target
        cross join lateral (
          select id
          from webhook_messages
          where org_id = target.org_id
            and channel_target_id = target.id${ofFewLimit}
        ) message
        where target.org_id = ${orgId}
          and target.account_id = any(${accountIds}::uuid[])${ofFewLimit}`),
  },
})

export const listMessages = (
  scope: Scope,
  { received_from, received_to, ...filter }: Filter,
  page: PageRequest,
) =>
  rows(
    scope,
    buildPageQuery(
      'message',
      filter,
      listColumns(scope, filter),
      page,
      (where) => sql<ListedRecord>`
        select message.id, message.json, ${sortColumn('message', page)} as sort_value
        from webhook_messages message
        where message.org_id = ${scope.orgId}
          ${received_from ? sql`and message.received_at >= ${received_from}::timestamptz` : sql``}
          ${received_to ? sql`and message.received_at <= ${received_to}::timestamptz` : sql``}
          ${where}`,
    ),
  )

export async function findMessage(scope: Scope, id: string): Promise<StoredRecord & { body: string }> {
  const message = await first(
    scope,
    sql<StoredRecord & { body: string }>`
      select json, version, body
      from webhook_messages
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )
  if (!message) throw new NotFound('webhook message', id)
  return message
}

export interface TargetRef {
  readonly org_id: string
  readonly channel_target_id: string
}

/** The targets that a message may be for, of all organizations: the message is routed only when it is exactly one. */
export async function listCandidateTargets(
  database: Database,
  targetId: string | null,
  { properties, listings, pmsAccount }: Pick<Notice, 'properties' | 'listings' | 'pmsAccount'>,
): Promise<TargetRef[]> {
  if (targetId === null && properties.length === 0 && listings.length === 0) return []
  const [targets] = await database.pipelined({ orgId: null }, [
    sql<TargetRef>`
      select *
      from webhook_targets(${targetId}::uuid, ${properties}::text[], ${listings}::text[], ${pmsAccount})`,
  ])
  return targets
}

/** The organization of a target, with the tier that sets its rate limits. */
export async function getTargetOwner(
  database: Database,
  targetId: string,
): Promise<{ orgId: string; tier: string } | null> {
  const [target] = await listCandidateTargets(database, targetId, {
    properties: [],
    listings: [],
    pmsAccount: null,
  })
  if (!target) return null
  const [[organization]] = await database.pipelined({ orgId: target.org_id }, [
    sql<{ tier: string }>`
      select tier
      from organizations
      where id = ${target.org_id}`,
  ])
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

/**
 * Stores a message once, with the commit, and counts its copies. Copies wait for each other at the lock: a unique key would
 * need the time of the partition, which differs between them.
 */
export function saveMessage(
  transaction: Transaction,
  target: { id: string; account_id: string },
  { source, kind, messageId, body, signed, occurredAt }: NewMessage,
  id: string,
): void {
  const name = `${target.id} ${source} ${messageId}`
  // Sent together; PostgreSQL runs them in this order, so the second one sees what was committed before the lock.
  deferToCommit(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 16))`)
  deferToCommit(
    transaction,
    sql`
      with copied as (
        update webhook_messages message
        set copies = message.copies + 1
        where message.org_id = ${transaction.orgId}
          and message.channel_target_id = ${target.id}
          and message.source = ${source}
          and message.message_id = ${messageId}
        returning id
      )
      insert into webhook_messages (id, org_id, account_id, channel_target_id, source, kind, message_id, body, signed,
        occurred_at, traceparent)
      select ${id}, ${transaction.orgId}, ${target.account_id}, ${target.id}, ${source}, ${kind}, ${messageId}, ${body},
        ${signed}, ${occurredAt}::timestamptz, ${transaction.traceparent}
      where not exists (select from copied)`,
  )
}

/** Whether a message has been stored under this id, and not counted as a copy of another. */
export const isStored = ({ orgId }: Scope, id: string) => sql`exists (
  select from webhook_messages
  where org_id = ${orgId}
    and id = ${id})`

/** The same for a message whose target is unknown. */
export async function saveUnroutedMessage(
  transaction: Transaction,
  { source, kind, messageId, body, signed }: NewMessage,
): Promise<string | undefined> {
  const [row] = await rows(
    transaction,
    sql<{ id: string; copies: number }>`
      insert into unrouted_webhooks as message (source, kind, message_id, body, signed, traceparent)
      values (${source}, ${kind}, ${messageId}, ${body}, ${signed}, ${transaction.traceparent})
      on conflict (source, message_id)
        do update set copies = message.copies + 1
      returning id, copies`,
  )
  return row!.copies === 1 ? row!.id : undefined
}

export interface WaitingMessage {
  readonly id: string
  readonly channel_target_id: string
  readonly source: string
  readonly kind: string
  readonly attempts: number
  readonly version: number
  readonly occurred_at: string | null
  readonly received_at: string
}

/** A message that has not been processed yet; undefined when it has. */
export async function getWaitingMessage(scope: Scope, id: string): Promise<WaitingMessage | undefined> {
  // Not by its status as well: the index of all that wait looked shorter, and contains those that waited before.
  const message = await first(
    scope,
    sql<WaitingMessage & { status: MessageStatus }>`
      select id, channel_target_id, source, kind, attempts, version, occurred_at, received_at, status
      from webhook_messages
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )
  return message?.status === 'received' ? message : undefined
}

/** Records the result of an attempt to process a message. */
export const recordAttempt = (scope: Scope, id: string, status: MessageStatus, error: string | null) =>
  rows(
    scope,
    sql`
      update webhook_messages
      set status = ${status},
        attempts = attempts + 1,
        error_message = left(${error}, 1000),
        processed_at = case when ${status} <> 'received' then clock_timestamp() end
      where org_id = ${scope.orgId}
        and id = ${id}
        and status = 'received'`,
  )

export const listListingsByExternalId = (scope: Scope, targetId: string, externalIds: readonly string[]) =>
  rows(
    scope,
    sql<{ id: string }>`
      select id
      from channel_listings
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}
        and external_id = any(${externalIds}::text[])`,
  )

export async function hasFailedMessage(scope: Scope, targetId: string): Promise<boolean> {
  const row = await first(
    scope,
    sql`
      select 1
      from webhook_messages
      where org_id = ${scope.orgId}
        and channel_target_id = ${targetId}
        and status = 'failed'
      limit 1`,
  )
  return row !== undefined
}
