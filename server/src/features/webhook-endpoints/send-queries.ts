import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { Outcome } from './send-webhook.ts'

/** Longer than one attempt can take, and than a run goes without taking more. */
const claimSeconds = 60
/** An endpoint that does nothing but fail is switched off after this. */
const longestFailure = sql`interval '5 days'`

export interface Receiver {
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

export interface Claimed {
  readonly id: string
  readonly claim: string
  readonly event_id: string
  readonly attempts: number
  readonly type: string
  readonly occurred_at: string
  /** JSON. */
  readonly data: string
}

/** Each active endpoint that wants the event gets it once. */
export const insertDeliveries = (transaction: Transaction, eventId: string) =>
  rows(
    transaction,
    sql<{ webhook_endpoint_id: string }>`insert into webhook_deliveries
        (org_id, webhook_endpoint_id, event_id, event_type, next_attempt_at)
      select e.org_id, w.id, e.id, e.type, now() from events e
        join webhook_endpoints w on w.org_id = e.org_id and w.status = 'active' and w.event_types && array[e.type, '*']
          and (w.account_id is null or w.account_id = e.account_id)
      where e.org_id = ${transaction.orgId} and e.id = ${eventId} and e.only_for is null
      on conflict (org_id, webhook_endpoint_id, event_id) do nothing
      returning webhook_endpoint_id`,
  )

/** The endpoint is ours to send to, until it is given up or a minute has passed without a look; null when it is not. */
export const takeRun = (scope: Scope, endpointId: string, run: string) =>
  first(
    scope,
    sql<Receiver>`update webhook_endpoints set run = ${run}, run_until = now() + make_interval(secs => ${claimSeconds}::int)
      where org_id = ${scope.orgId} and id = ${endpointId} and status = 'active'
        and (held_until is null or held_until <= now()) and (run_until is null or run_until <= now())
      returning id, url, secret, case when previous_until > now() then previous_secret end as previous_secret`,
  )

export const endRun = (scope: Scope, endpointId: string, run: string) =>
  rows(
    scope,
    sql`update webhook_endpoints set run = null, run_until = null
      where org_id = ${scope.orgId} and id = ${endpointId} and run = ${run}`,
  )

/** Takes what is due, the longest due first, as long as the endpoint is ours and wants to be called. */
export const claimDeliveries = (scope: Scope, endpointId: string, run: string, most: number) =>
  rows(
    scope,
    sql<Claimed>`with endpoint as (
        update webhook_endpoints set run_until = now() + make_interval(secs => ${claimSeconds}::int)
        where org_id = ${scope.orgId} and id = ${endpointId} and run = ${run} and status = 'active'
          and (held_until is null or held_until <= now()) returning id),
      due as (
        select id from webhook_deliveries where org_id = ${scope.orgId} and webhook_endpoint_id = ${endpointId}
          and status = 'pending' and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
          and exists (select 1 from endpoint)
        order by next_attempt_at limit ${most}),
      taken as (
        update webhook_deliveries d set claim = gen_random_uuid(), attempts = attempts + 1, last_attempt_at = now(),
          claimed_until = now() + make_interval(secs => ${claimSeconds}::int)
        where d.org_id = ${scope.orgId} and d.id in (select id from due) returning d.id, d.claim, d.event_id, d.attempts)
      select t.*, e.type, e.occurred_at, e.data::text as data from taken t
        join events e on e.org_id = ${scope.orgId} and e.id = t.event_id`,
  )

/** It was not sent after all: no attempt was made. */
export const giveBack = (scope: Scope, { id, claim }: Claimed) =>
  rows(
    scope,
    sql`update webhook_deliveries set claim = null, claimed_until = null, attempts = attempts - 1
      where org_id = ${scope.orgId} and id = ${id} and claim = ${claim}`,
  )

/**
 * Locks an endpoint before the delivery. This is a statement of its own: one that locks the row and updates it at once
 * deadlocks with another of its kind while new deliveries reference the row.
 */
const lockToSettle = (transaction: Transaction, endpointId: string) =>
  rows(
    transaction,
    sql`select 1 from webhook_endpoints where org_id = ${transaction.orgId} and id = ${endpointId} for no key update`,
  )

/** Null when there is no such time. */
const inMs = (wait: number | null) => sql`(clock_timestamp() + make_interval(secs => ${wait}::float8 / 1000))`

/**
 * Writes what became of an attempt that still holds its claim, and how the endpoint does. Answers with the endpoint
 * when this switched it off.
 */
export async function settleDelivery(
  transaction: Transaction,
  endpointId: string,
  { id, claim }: Claimed,
  { result, status, body, error, durationMs, askedMs }: Outcome,
  waitMs: number | null,
): Promise<{ json: string; account_id: string | null } | null> {
  const { orgId } = transaction
  const isTaken = result === 'delivered'
  // An endpoint that takes many in a second is not written for each.
  const settled = isTaken
    ? sql`update webhook_endpoints set last_delivery_at = now(), failing_since = null, held_until = null,
          updated_at = now()
        where org_id = ${orgId} and id = ${endpointId}
          and (last_delivery_at is null or last_delivery_at < now() - interval '1 second'
            or failing_since is not null or held_until is not null)
        returning null as json, null as account_id, false as is_off`
    : sql`update webhook_endpoints w set failing_since = coalesce(w.failing_since, now()),
          held_until = greatest(w.held_until, ${inMs(askedMs)}),
          status = case when b.reason is null then w.status else 'disabled' end,
          disabled_reason = case when w.status = 'active' then b.reason else w.disabled_reason end,
          updated_at = case when w.failing_since is null or (b.reason is not null and w.status <> 'disabled') then now()
            else w.updated_at end
        from (select id, status as before, case when ${result === 'gone'} then 'gone'
            when failing_since < now() - ${longestFailure} then 'failing' end as reason
          from webhook_endpoints where org_id = ${orgId} and id = ${endpointId}) b
        where w.org_id = ${orgId} and w.id = b.id
        returning w.json, w.account_id, b.before = 'active' and w.status = 'disabled' as is_off`
  const [, [endpoint]] = await Promise.all([
    isTaken || lockToSettle(transaction, endpointId),
    rows(transaction, settled as ReturnType<typeof sql<Endpoint>>),
    rows(
      transaction,
      sql`update webhook_deliveries set claim = null, claimed_until = null,
          status = ${isTaken ? 'delivered' : waitMs === null ? 'failed' : 'pending'},
          next_attempt_at = ${inMs(waitMs)},
          delivered_at = case when ${isTaken} then clock_timestamp() else delivered_at end,
          response_status = ${status}, response_body = ${body}, error_message = ${error}, duration_ms = ${durationMs}
        where org_id = ${orgId} and id = ${id} and claim = ${claim}`,
    ),
  ])
  return endpoint?.is_off ? endpoint : null
}

interface Endpoint {
  json: string
  account_id: string | null
  is_off: boolean
}

/** Whether more waits to be sent now, and nobody sends it. */
export async function isDue(scope: Scope, endpointId: string): Promise<boolean> {
  const found = await first(
    scope,
    sql`select 1 from webhook_deliveries d join webhook_endpoints e on e.org_id = d.org_id and e.id = d.webhook_endpoint_id
      where d.org_id = ${scope.orgId} and d.webhook_endpoint_id = ${endpointId} and d.status = 'pending'
        and d.next_attempt_at <= now() and (d.claimed_until is null or d.claimed_until <= now())
        and e.status = 'active' and (e.held_until is null or e.held_until <= now())
        and (e.run_until is null or e.run_until <= now()) limit 1`,
  )
  return found !== undefined
}
