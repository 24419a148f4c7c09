import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { internalEventTypes } from '../events/event.ts'
import type { WebhookReplayInput } from './webhook-delivery.ts'

/** Events of a period that an endpoint wants today, with the deliveries that were made of them. */
function chosen({ orgId }: Scope, endpointId: string, { from, to, types, status }: WebhookReplayInput) {
  const which = {
    missing: sql`d.id is null`,
    failed: sql`d.status = 'failed'`,
    delivered: sql`d.status = 'delivered'`,
    all: sql`(d.id is null or d.status <> 'pending')`,
  }
  return sql`from events e
    join webhook_endpoints w on w.org_id = e.org_id and w.id = ${endpointId} and w.event_types && array[e.type, '*']
      and (w.account_id is null or w.account_id = e.account_id)
    left join webhook_deliveries d on d.org_id = e.org_id and d.webhook_endpoint_id = w.id and d.event_id = e.id
    where e.org_id = ${orgId} and e.occurred_at >= ${from}::timestamptz and e.occurred_at < ${to}::timestamptz
      and e.only_for is null and e.type <> all(${internalEventTypes})
      and (${types ?? null}::text[] is null or e.type = any(${types ?? null}::text[])) and ${which[status ?? 'all']}`
}

export async function countReplayed(scope: Scope, endpointId: string, wish: WebhookReplayInput) {
  const row = await first(
    scope,
    sql<{ queued: number }>`select count(*)::int as queued ${chosen(scope, endpointId, wish)}`,
  )
  return row!.queued
}

/** Where a replay has come to. */
export interface ReplayPlace {
  readonly occurred_at: string
  readonly id: string
}

/**
 * Makes the next of a period due, oldest first; what is on its way already goes on as it is. Answers with the place to
 * go on from, or null at the end.
 */
export async function replayNext(
  transaction: Transaction,
  endpointId: string,
  wish: WebhookReplayInput,
  { after, most }: { after: ReplayPlace | null; most: number },
): Promise<ReplayPlace | null> {
  const behind = after
    ? sql` and (e.occurred_at, e.id) > (${after.occurred_at}::timestamptz, ${after.id}::uuid)`
    : sql``
  const next = await rows(
    transaction,
    sql<ReplayPlace>`with next as materialized (
        select e.id, e.type, e.occurred_at ${chosen(transaction, endpointId, wish)}${behind}
        order by e.occurred_at, e.id limit ${most}),
      queued as (
        insert into webhook_deliveries as d (org_id, webhook_endpoint_id, event_id, event_type, next_attempt_at, replays)
        select ${transaction.orgId}, ${endpointId}, id, type, now(), 1 from next
        on conflict (org_id, webhook_endpoint_id, event_id) do update set status = 'pending', attempts = 0,
          next_attempt_at = now(), replays = d.replays + 1, version = d.version + 1
        where d.status <> 'pending')
      select occurred_at, id from next order by occurred_at, id`,
  )
  return next.length === most ? next.at(-1)! : null
}
