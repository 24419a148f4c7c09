import { sql } from 'kysely'
import { first, deferToCommit, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import type { StoredRecord } from '#db/records.ts'
import { internalEventTypes, type EventKind, type EventType, type NewEvent } from './event.ts'

const subscribesTo = (type: ReturnType<typeof sql>, accountId: ReturnType<typeof sql>) =>
  sql`e.status = 'active' and e.event_types && array[${type}, '*'] and (e.account_id is null or e.account_id = ${accountId})`

/** Inserts all events with one statement, sent together with the commit. */
export const insertEvents = (
  transaction: Transaction,
  events: readonly (NewEvent & { readonly id: string })[],
): void =>
  deferToCommit(
    transaction,
    sql`insert into events (org_id, id, account_id, type, subject_id, data, traceparent)
      select ${transaction.orgId}, id, "accountId", type, "subjectId", data, ${transaction.traceparent}
      from json_to_recordset(${JSON.stringify(events)}::json)
        as n (id uuid, "accountId" uuid, type text, "subjectId" uuid, data json)`,
  )

/** The given kinds of events that a webhook endpoint subscribes to. */
export const findSubscribedKinds = (transaction: Transaction, kinds: readonly EventKind[]) =>
  rows(
    transaction,
    sql<EventKind>`select type, "accountId"
      from json_to_recordset(${JSON.stringify(kinds.map(({ type, accountId }) => ({ type, accountId })))}::json)
        as n (type text, "accountId" text)
      where exists (select 1 from webhook_endpoints e where e.org_id = ${transaction.orgId}
        and ${subscribesTo(sql`n.type`, sql`n."accountId"::uuid`)})`,
  )

/** Whether any webhook endpoint subscribes to a type of event. */
export async function hasSubscriber(scope: Scope, type: EventType): Promise<boolean> {
  const found = await first(
    scope,
    sql`select 1 from webhook_endpoints e where e.org_id = ${scope.orgId} and e.status = 'active'
      and e.event_types && array[${type}::text, '*'] limit 1`,
  )
  return found !== undefined
}

export async function findEvent(scope: Scope, id: string): Promise<StoredRecord> {
  const json = sql`event_json(id, org_id, account_id, type, subject_id, data, occurred_at)`
  const row = await first(
    scope,
    sql<StoredRecord>`select ${json} as json, 1 as version from events where org_id = ${scope.orgId} and id = ${id}
      and type <> all(${internalEventTypes})`,
  )
  if (!row) throw new NotFound('event', id)
  return row
}
