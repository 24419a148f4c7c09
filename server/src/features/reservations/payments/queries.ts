import { sql, type NotNull } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, rareValues, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { IntentStatus, ProviderPayment } from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import type { Dispute } from './dispute.ts'
import { SettlePayment } from './jobs.ts'

/** A payment with its sealed client secret. The caller checks who may see it. */
export interface StoredIntent extends StoredRecord {
  readonly id: string
  readonly client_secret: Buffer | null
  readonly dispute: Dispute | null
  readonly status: IntentStatus
  readonly provider_reference: string | null
  readonly requested: 'capture' | 'cancel' | null
}

const storedColumns = sql`id, json, version, client_secret, dispute, status, provider_reference, requested`
const listColumns = {
  columns: ['org_id', 'id', 'account_id', 'booking_id', 'status'],
  indexed: ['booking_id'],
  usual: { status: { values: ['succeeded'], others: sql`intent.status <> 'succeeded'` } },
  findable: ['id'],
  lookups: rareValues('payment_intents', ['account_id']),
}

export const listIntents = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'intent',
      filter,
      listColumns,
      page,
      (where) => sql<Pick<StoredIntent, 'client_secret' | 'dispute'> & ListedRecord>`
        select intent.id, intent.json, intent.client_secret, intent.dispute, ${sortColumn('intent', page)} as sort_value
        from payment_intents intent
        where intent.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findIntent(scope: Scope, id: string): Promise<StoredIntent> {
  const found = await first(
    scope,
    sql<StoredIntent>`
      select ${storedColumns}
      from payment_intents
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )
  if (!found) throw new NotFound('payment intent', id)
  return found
}

export interface LockedIntent {
  readonly id: string
  readonly account_id: string
  readonly booking_id: string
  readonly amount: number
  readonly currency: string
  readonly status: IntentStatus
  readonly requested: 'capture' | 'cancel' | null
  readonly amount_received: number
  readonly amount_refunded: number
  readonly dispute: Dispute | null
}

export async function lockIntent(transaction: Transaction, id: string): Promise<LockedIntent> {
  const found = await first(
    transaction,
    sql<LockedIntent>`
      select id, account_id, booking_id, amount, currency, status, requested, amount_received, amount_refunded,
        dispute
      from payment_intents
      where org_id = ${transaction.orgId}
        and id = ${id}
      for update`,
  )
  if (!found) throw new NotFound('payment intent', id)
  return found
}

/** A payment that the worker processes now. */
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
  /** Including this one. */
  readonly attempts: number
  readonly created_at: string
  /** By the clock of the database, as is when the state was requested. */
  readonly age_seconds: number
  readonly now: string
}

/** Counts the attempt before it is made, so that it counts even if the worker is killed. */
export const claimIntent = (scope: Scope, id: string) =>
  first(
    scope,
    sql<ClaimedIntent>`
      update payment_intents
      set attempts = attempts + 1,
        next_attempt_at = now() + interval '1 minute'
      where org_id = ${scope.orgId}
        and id = ${id}
        and (status <> 'canceled' or provider_reference is not null)
      returning id, booking_id, amount, currency, capture_method, status, requested, capture_amount,
        provider_reference, key_number, attempts, created_at,
        extract(epoch from clock_timestamp() - created_at)::float8 as age_seconds, clock_timestamp()::text as now`,
  )

/** Schedules the next attempt; `usesNewKey` when the provider has stored a failure under the current key. */
export const postponeIntent = (
  scope: Scope,
  id: string,
  waitMs: number,
  usesNewKey: boolean,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const [row] = await rows(
      transaction,
      sql<{ at: NotNull<string> }>`
        update payment_intents
        set key_number = key_number + ${usesNewKey ? 1 : 0},
          next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
        where org_id = ${scope.orgId}
          and id = ${id}
          and next_attempt_at is not null
        returning next_attempt_at as at`,
    )
    if (row) await enqueue(transaction, SettlePayment, [{ payload: { intentId: id }, at: new Date(row.at) }])
  })

/** Cancels a payment that was never opened at the provider. */
export const closeIntent = (transaction: Transaction, id: string, failureCode: string | null) =>
  first(
    transaction,
    sql<{ json: string }>`
      update payment_intents
      set status = 'canceled',
        requested = null,
        attempts = 0,
        next_attempt_at = null,
        failure_code = coalesce(${failureCode}, failure_code),
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}
        and provider_reference is null
        and status <> 'canceled'
      returning json`,
  )

interface IntentState {
  readonly account_id: string
  readonly booking_id: string
  readonly currency: string
  readonly dispute: Dispute | null
  readonly status: IntentStatus
  readonly failed_attempt: string | null
  readonly has_secret: boolean
  /** Whether a state that was read later has been saved already. */
  readonly is_stale: boolean
  readonly booking_has_ended: boolean
  readonly booking_is_pending: boolean
}

export const lockIntentState = (transaction: Transaction, id: string, seenAt: string) =>
  first(
    transaction,
    sql<IntentState>`
      select intent.account_id, intent.booking_id, intent.currency, intent.dispute, intent.status,
        intent.failed_attempt, intent.client_secret is not null as has_secret,
        coalesce(intent.seen_at > ${seenAt}::timestamptz, false) as is_stale,
        booking.status in ('cancelled', 'declined', 'expired')
          or booking.deleted_at is not null as booking_has_ended,
        booking.status = 'pending' as booking_is_pending
      from payment_intents intent
      join bookings booking
        on booking.org_id = intent.org_id
        and booking.id = intent.booking_id
      where intent.org_id = ${transaction.orgId}
        and intent.id = ${id}
      for update of intent`,
  )

interface IntentUpdate {
  readonly id: string
  readonly payment: ProviderPayment
  readonly status: IntentStatus
  readonly clientSecret: Buffer | null
  readonly seenAt: string
  /** When to read the payment again if no notice arrives; null when it is final. */
  readonly nextCheckSeconds: number | null
}

/** Saves the state at the provider. The version and `updated_at` change only with a visible member. */
export const saveProviderPayment = (transaction: Transaction, settled: IntentUpdate) => {
  const { id, payment, status, clientSecret, seenAt, nextCheckSeconds } = settled
  const { reference, amountReceived, failure } = payment
  const received = sql`greatest(amount_received, ${amountReceived}::bigint)`
  const failureCode = sql`case
      when ${status}::text = 'succeeded' then null
      else ${failure?.code ?? null}::text end`
  const failedAttempt = sql`coalesce(${failure?.attempt ?? null}, failed_attempt)`
  const requested = sql`case when ${status}::text in ('succeeded', 'canceled')
    or (requested = 'capture' and ${status}::text <> 'requires_capture') then null else requested end`
  const isChanged = sql`(provider_reference, status, amount_received, failure_code, failed_attempt, requested)
    is distinct from (${reference}::text, ${status}::text, ${received}, ${failureCode}, ${failedAttempt}, ${requested})`
  return first(
    transaction,
    sql<{ json: string }>`
      update payment_intents
      set provider_reference = ${reference},
        status = ${status},
        client_secret = coalesce(client_secret, ${clientSecret}::bytea),
        amount_received = ${received},
        failure_code = ${failureCode},
        failed_attempt = ${failedAttempt},
        requested = ${requested},
        attempts = 0,
        seen_at = greatest(seen_at, ${seenAt}::timestamptz),
        next_attempt_at = now() + make_interval(secs => ${nextCheckSeconds}::float8),
        version = version + (case when ${isChanged} then 1 else 0 end),
        updated_at = case when ${isChanged} then now() else updated_at end
      where org_id = ${transaction.orgId}
        and id = ${id}
      returning json`,
  )
}
