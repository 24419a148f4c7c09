import { sql, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { DeliveryResult } from './send-webhook.ts'

/** Longer than an attempt can take, and longer than a run goes without claiming more deliveries. */
const claimSeconds = 60
/** An endpoint that fails every delivery is disabled after this time. */
const maxFailingTime = sql`interval '5 days'`

export interface EndpointRow {
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

export interface ClaimedDelivery {
  readonly id: string
  readonly claim: NotNull<string>
  readonly event_id: string
  readonly attempts: number
  readonly occurred_at: string
  /** JSON, as in the feed. */
  readonly event: NotNull<string>
  readonly traceparent: string | null
}

/** Claims the endpoint for a job, for a minute that each claim of deliveries renews, and again when the job runs again. */
export const claimEndpoint = (scope: Scope, endpointId: string, run: string) =>
  first(
    scope,
    sql<EndpointRow>`
      update webhook_endpoints
      set run = ${run}, run_until = now() + make_interval(secs => ${claimSeconds}::int)
      where org_id = ${scope.orgId}
        and id = ${endpointId}
        and status = 'active'
        and (held_until is null or held_until <= now())
        and (run_until is null or run_until <= now() or run = ${run})
      returning id, url, secret, case when previous_until > now() then previous_secret end as previous_secret`,
  )

export const releaseEndpoint = (scope: Scope, endpointId: string, run: string) =>
  rows(
    scope,
    sql`
      update webhook_endpoints
      set run = null, run_until = null
      where org_id = ${scope.orgId} and id = ${endpointId} and run = ${run}`,
  )

/** Claims due deliveries, the longest due first, as long as the run holds the endpoint and it may be called. */
export const claimDeliveries = (scope: Scope, endpointId: string, run: string, maxCount: number) =>
  rows(
    scope,
    sql<ClaimedDelivery>`
      with endpoint as (
        update webhook_endpoints
        set run_until = now() + make_interval(secs => ${claimSeconds}::int)
        where org_id = ${scope.orgId}
          and id = ${endpointId}
          and run = ${run}
          and status = 'active'
          and (held_until is null or held_until <= now())
        returning id
      ),
      due as (
        select id
        from webhook_deliveries
        where org_id = ${scope.orgId}
          and webhook_endpoint_id = ${endpointId}
          and status = 'pending'
          and next_attempt_at <= now()
          and (claimed_until is null or claimed_until <= now())
          and exists (select 1 from endpoint)
        order by next_attempt_at
        limit ${maxCount}
      ),
      claimed as (
        update webhook_deliveries delivery
        set
          claim = gen_random_uuid(),
          claimed_until = now() + make_interval(secs => ${claimSeconds}::int),
          attempts = attempts + 1,
          last_attempt_at = now()
        where delivery.org_id = ${scope.orgId} and delivery.id in (select id from due)
        returning delivery.id, delivery.claim, delivery.event_id, delivery.event_occurred_at, delivery.attempts
      )
      select
        claimed.id, claimed.claim, claimed.event_id, claimed.attempts, event.occurred_at, event.traceparent,
        event_json(
          event.id, event.org_id, event.account_id, event.type, event.subject_id, event.data, event.occurred_at
        ) as event
      from claimed
      join events event on event.org_id = ${scope.orgId} and event.id = claimed.event_id
        and event.occurred_at = claimed.event_occurred_at`,
  )

/** Releases a delivery that was not sent; the attempt does not count. */
export const releaseDelivery = (scope: Scope, { id, claim }: ClaimedDelivery) =>
  rows(
    scope,
    sql`
      update webhook_deliveries
      set claim = null, claimed_until = null, attempts = attempts - 1
      where org_id = ${scope.orgId} and id = ${id} and claim = ${claim}`,
  )

/**
 * Saves the result of an attempt, if it still holds its claim, and the state of the endpoint. Returns the endpoint when
 * this disabled it.
 */
export async function saveDeliveryResult(
  transaction: Transaction,
  { id: endpointId, url }: Pick<EndpointRow, 'id' | 'url'>,
  { id, claim }: ClaimedDelivery,
  { outcome, status, body, error, durationMs, retryAfterMs }: DeliveryResult,
  retryInMs: number | null,
): Promise<{ json: string; account_id: string | null } | null> {
  const { orgId } = transaction
  const isDelivered = outcome === 'delivered'
  // A failure of an address that the endpoint no longer has is not one of the endpoint: the new address gets the delivery.
  const isMoved = !isDelivered && !(await lockEndpoint(transaction, endpointId, url))
  const delayMs = isMoved ? 0 : retryInMs
  const deliveryStatus = isDelivered ? 'delivered' : delayMs === null ? 'failed' : 'pending'
  const [[endpoint]] = await Promise.all([
    isDelivered
      ? recordEndpointSuccess(transaction, endpointId, url)
      : isMoved
        ? []
        : recordEndpointFailure(transaction, endpointId, outcome === 'gone', retryAfterMs),
    rows(
      transaction,
      sql`
        update webhook_deliveries
        set
          claim = null,
          claimed_until = null,
          status = ${deliveryStatus},
          next_attempt_at = ${afterDelay(delayMs)},
          delivered_at = case when ${isDelivered} then clock_timestamp() else delivered_at end,
          response_status = ${status},
          response_body = ${body},
          error_message = ${error},
          duration_ms = ${durationMs}
        where org_id = ${orgId} and id = ${id} and claim = ${claim}`,
    ),
  ])
  return endpoint?.is_disabled ? endpoint : null
}

/**
 * Locks the endpoint before the delivery, in a statement of its own: a statement that locks the row and updates it at
 * once deadlocks with another one while new deliveries reference the row. Returns whether it still has the address.
 */
async function lockEndpoint(transaction: Transaction, endpointId: string, url: string): Promise<boolean> {
  const statement = sql<{ url: string }>`
    select url
    from webhook_endpoints
    where org_id = ${transaction.orgId} and id = ${endpointId}
    for no key update`
  return (await first(transaction, statement))?.url === url
}

interface UpdatedEndpoint {
  json: string
  account_id: string | null
  is_disabled: boolean
}

/** At most once a second, so that an endpoint with many deliveries is not updated for each. */
async function recordEndpointSuccess(
  transaction: Transaction,
  endpointId: string,
  url: string,
): Promise<UpdatedEndpoint[]> {
  await rows(
    transaction,
    sql`
      update webhook_endpoints
      set last_delivery_at = now(), failing_since = null, held_until = null, updated_at = now()
      where org_id = ${transaction.orgId} and id = ${endpointId} and url = ${url}
        and (
          last_delivery_at is null
          or last_delivery_at < now() - interval '1 second'
          or failing_since is not null
          or held_until is not null
        )`,
  )
  return []
}

const recordEndpointFailure = (
  transaction: Transaction,
  endpointId: string,
  isGone: boolean,
  retryAfterMs: number | null,
) =>
  rows(
    transaction,
    sql<UpdatedEndpoint>`
      update webhook_endpoints endpoint
      set
        failing_since = coalesce(endpoint.failing_since, now()),
        held_until = greatest(endpoint.held_until, ${afterDelay(retryAfterMs)}),
        status = case when before.reason is null then endpoint.status else 'disabled' end,
        disabled_reason = case when endpoint.status = 'active' then before.reason else endpoint.disabled_reason end,
        updated_at = case
          when endpoint.failing_since is null then now()
          when before.reason is not null and endpoint.status <> 'disabled' then now()
          else endpoint.updated_at
        end
      from (
        select
          id, status,
          case when ${isGone} then 'gone' when failing_since < now() - ${maxFailingTime} then 'failing' end as reason
        from webhook_endpoints
        where org_id = ${transaction.orgId} and id = ${endpointId}
      ) before
      where endpoint.org_id = ${transaction.orgId} and endpoint.id = before.id
      returning
        endpoint.json,
        endpoint.account_id,
        before.status = 'active' and endpoint.status = 'disabled' as is_disabled`,
  )

/** The time after a delay; null without one. */
const afterDelay = (delayMs: number | null) =>
  sql`(clock_timestamp() + make_interval(secs => ${delayMs}::float8 / 1000))`

/** Whether deliveries are due that no run sends. */
export async function hasDueDeliveries(scope: Scope, endpointId: string): Promise<boolean> {
  const found = await first(
    scope,
    sql`
      select 1
      from webhook_deliveries delivery
      join webhook_endpoints endpoint
        on endpoint.org_id = delivery.org_id and endpoint.id = delivery.webhook_endpoint_id
      where delivery.org_id = ${scope.orgId} and delivery.webhook_endpoint_id = ${endpointId}
        and delivery.status = 'pending'
        and delivery.next_attempt_at <= now()
        and (delivery.claimed_until is null or delivery.claimed_until <= now())
        and endpoint.status = 'active'
        and (endpoint.held_until is null or endpoint.held_until <= now())
        and (endpoint.run_until is null or endpoint.run_until <= now())
      limit 1`,
  )
  return found !== undefined
}
