import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { PaymentTruth } from '#outside/payments/payments.ts'
import type { IntentStatus } from '#outside/payments/payments-states.ts'
import { enqueue } from '#queue/job.ts'
import { SettlePayment } from './payment-jobs.ts'

/** A payment as the worker takes it up. */
export interface ClaimedIntent {
  readonly id: string
  readonly booking_id: string
  readonly amount: number
  readonly currency: string
  readonly capture_method: 'automatic' | 'manual'
  readonly status: IntentStatus
  readonly requested: 'capture' | 'cancel' | null
  readonly capture_amount: number | null
  readonly provider_reference: string | null
  readonly key_number: number
  /** With this one. */
  readonly attempts: number
  readonly created_at: string
  /** The clock that all looks are compared by: the database's. */
  readonly now: string
}

/** Counts the attempt before it is made, so that one whose worker is killed is known to have been made. */
export const claimIntent = (scope: Scope, id: string) =>
  first(
    scope,
    sql<ClaimedIntent>`update payment_intents set attempts = attempts + 1, next_attempt_at = now() + interval '1 minute'
      where org_id = ${scope.orgId} and id = ${id} and (status <> 'canceled' or provider_reference is not null)
      returning id, booking_id, amount, currency, capture_method, status, requested, capture_amount, provider_reference,
        key_number, attempts, created_at, clock_timestamp()::text as now`,
  )

/** The next attempt, later; `otherKey` when the present one has kept a failure. */
export const putOffIntent = (scope: Scope, id: string, waitMs: number, otherKey: boolean): Promise<void> =>
  atomically(scope, async (transaction) => {
    const [row] = await rows(
      transaction,
      sql<{ at: string }>`update payment_intents set key_number = key_number + ${otherKey ? 1 : 0},
          next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
        where org_id = ${scope.orgId} and id = ${id} and next_attempt_at is not null
        returning next_attempt_at as at`,
    )
    if (row) await enqueue(transaction, SettlePayment, [{ payload: { intentId: id }, at: new Date(row.at) }])
  })

/** Nothing was opened at the provider, and nothing will be. */
export const closeIntent = (transaction: Transaction, id: string, failureCode: string | null) =>
  first(
    transaction,
    sql<{ json: string }>`update payment_intents set status = 'canceled', requested = null, attempts = 0,
        next_attempt_at = null, failure_code = coalesce(${failureCode}, failure_code), version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId} and id = ${id} and provider_reference is null and status <> 'canceled'
      returning json`,
  )

export interface KnownIntent {
  readonly account_id: string
  readonly booking_id: string
  readonly currency: string
  readonly status: IntentStatus
  readonly failed_attempt: string | null
  readonly has_secret: boolean
  /** Whether something that was looked up later has been applied already. */
  readonly is_overtaken: boolean
  readonly booking_has_ended: boolean
  readonly booking_is_pending: boolean
}

export const lockKnown = (transaction: Transaction, id: string, seenAt: string) =>
  first(
    transaction,
    sql<KnownIntent>`select p.account_id, p.booking_id, p.currency, p.status, p.failed_attempt,
        p.client_secret is not null as has_secret, coalesce(p.seen_at > ${seenAt}::timestamptz, false) as is_overtaken,
        b.status in ('cancelled', 'declined', 'expired') or b.deleted_at is not null as booking_has_ended,
        b.status = 'pending' as booking_is_pending
      from payment_intents p join bookings b on b.org_id = p.org_id and b.id = p.booking_id
      where p.org_id = ${transaction.orgId} and p.id = ${id} for update of p`,
  )

export interface Settled {
  readonly id: string
  readonly truth: PaymentTruth
  readonly status: IntentStatus
  readonly clientSecret: Buffer | null
  readonly seenAt: string
  /** When the provider is asked again although nobody says anything; null when there is nothing to wait for. */
  readonly nextLookSeconds: number | null
}

/** Writes what the provider said; the version grows only when something changed that a caller sees. */
export const writeTruth = (transaction: Transaction, settled: Settled) => {
  const { id, truth, status, clientSecret, seenAt, nextLookSeconds } = settled
  const { reference, amountReceived, failure } = truth
  return first(
    transaction,
    sql<{ json: string }>`update payment_intents set provider_reference = ${reference}, status = ${status},
        client_secret = coalesce(client_secret, ${clientSecret}::bytea),
        amount_received = greatest(amount_received, ${amountReceived}::bigint),
        failure_code = case when ${status} = 'succeeded' then null else ${failure?.code ?? null} end,
        failed_attempt = coalesce(${failure?.attempt ?? null}, failed_attempt),
        requested = case when ${status} in ('succeeded', 'canceled')
          or (requested = 'capture' and ${status} <> 'requires_capture') then null else requested end,
        attempts = 0, seen_at = greatest(seen_at, ${seenAt}::timestamptz),
        next_attempt_at = now() + make_interval(secs => ${nextLookSeconds}::float8),
        version = version + (case when (provider_reference, status) is distinct from (${reference}::text, ${status}::text)
          or amount_received < ${amountReceived}::bigint then 1 else 0 end),
        updated_at = case when (provider_reference, status) is distinct from (${reference}::text, ${status}::text)
          or failed_attempt is distinct from coalesce(${failure?.attempt ?? null}, failed_attempt) then now() else updated_at end
      where org_id = ${transaction.orgId} and id = ${id} returning json`,
  )
}

/** Whether a booking is still pending although all of its price has been paid, and was not given back. */
export const waitsPaidInFull = async (scope: Scope, bookingId: string): Promise<boolean> =>
  (await first(
    scope,
    sql`select 1 from bookings b
      where b.org_id = ${scope.orgId} and b.id = ${bookingId} and b.status = 'pending' and b.deleted_at is null
        and b.total_cents <= (select sum(p.amount_received - p.amount_refunded) from payment_intents p
          where p.org_id = b.org_id and p.booking_id = b.id and p.status = 'succeeded')`,
  )) !== undefined
