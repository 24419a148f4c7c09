import { sql, type NotNull } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import type { StoredRecord } from '#db/records.ts'
import type { ProviderRefund, RefundReason } from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { WithdrawRequests } from '#features/reservations/bookings/jobs.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { updateDisputeAlert } from './dispute-alert.ts'
import { updateFailedRefundAlert } from './failed-refund-alert.ts'
import { SendRefund } from './jobs.ts'
import type { PaymentRefundInput } from './payment-refund.ts'
import { lockIntent, type LockedIntent } from './queries.ts'

export async function findRefund(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select json, version from payment_refunds where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('refund', id)
  return found
}

/** Inserts a refund and enqueues the job that requests it. @throws NotFound, Conflict, Invalid */
export const createRefund = (
  scope: Scope,
  intentId: string,
  input: PaymentRefundInput,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const intent = await lockIntent(transaction, intentId)
    const left = intent.amount_received - intent.amount_refunded
    if (intent.status !== 'succeeded')
      throw new Conflict(
        'invalid-status-transition',
        `A payment that is ${intent.status} cannot be refunded.`,
      )
    if (intent.dispute?.status === 'open')
      throw new Conflict(
        'invalid-status-transition',
        'The bank of the guest disputes the payment: it cannot be refunded until the bank has decided.',
      )
    if (left === 0)
      throw new Conflict('invalid-status-transition', 'The payment has already been refunded in full.')
    const { amount = left, reason = 'requested_by_guest' } = input
    if (amount > left)
      throw semanticError(
        'amount',
        `amount must be at most ${left}: the rest has already been refunded.`,
        'too_big',
      )
    return await insertRefund(transaction, intent, amount, reason)
  })

/** The payment is locked, and at least this amount can be refunded. */
export async function insertRefund(
  transaction: Transaction,
  { id, account_id, currency, dispute }: LockedIntent,
  amount: number,
  reason: RefundReason,
): Promise<StoredRecord & { id: string }> {
  const added = await first(
    transaction,
    sql<StoredRecord & { id: string }>`
      insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason)
      values (${transaction.orgId}, ${account_id}, ${id}, ${amount}, ${currency}, ${reason})
      returning id, json, version`,
  )
  await updateRefundedAmount(transaction, id)
  await updateFailedRefundAlert(transaction, id, false)
  if (dispute) await updateDisputeAlert(transaction, id)
  await enqueue(transaction, SendRefund, [{ payload: { refundId: added!.id } }])
  return added!
}

/**
 * Recomputes the refunded amount after a change of refunds. It never exceeds the payment, even if it is refunded here and at
 * the provider at once. What was asked for in place of money that is back is withdrawn.
 */
export async function updateRefundedAmount(transaction: Transaction, intentId: string): Promise<void> {
  notifyChanges(transaction, { refund: null, payment_intent: [intentId] })
  const changed = await first(
    transaction,
    sql<{ booking_id: string; is_lower: boolean }>`
      update payment_intents intent
      set amount_refunded = least(refunded.cents, intent.amount_received),
        version = intent.version + 1,
        updated_at = now()
      from (
        select coalesce(sum(amount), 0)::bigint as cents
        from payment_refunds
        where org_id = ${transaction.orgId}
          and payment_intent_id = ${intentId}
          and status in ('pending', 'succeeded')) refunded,
        payment_intents before
      where intent.org_id = ${transaction.orgId}
        and intent.id = ${intentId}
        and before.org_id = intent.org_id
        and before.id = intent.id
        and intent.amount_refunded <> least(refunded.cents, intent.amount_received)
      returning intent.booking_id, intent.amount_refunded < before.amount_refunded as is_lower`,
  )
  if (changed?.is_lower)
    await enqueue(transaction, WithdrawRequests, [{ payload: { bookingId: changed.booking_id } }])
}

export interface ClaimedRefund {
  readonly id: string
  readonly payment_intent_id: string
  readonly intent_reference: NotNull<string>
  readonly amount: number
  readonly currency: string
  readonly reason: RefundReason
  readonly status: string
  readonly provider_reference: string | null
  readonly key_number: number
  readonly attempts: number
  readonly created_at: string
}

/** Counts the attempt before it is made. Undefined when the refund is not pending any more, or the bank has taken it. */
export const claimRefund = (scope: Scope, id: string) =>
  first(
    scope,
    sql<ClaimedRefund>`
      update payment_refunds refund
      set attempts = refund.attempts + 1,
        next_attempt_at = now() + interval '1 minute'
      from payment_intents intent
      where refund.org_id = ${scope.orgId}
        and refund.id = ${id}
        and refund.status = 'pending'
        and refund.reason <> 'dispute'
        and intent.org_id = refund.org_id
        and intent.id = refund.payment_intent_id
        and intent.provider_reference is not null
      returning refund.id, refund.payment_intent_id, intent.provider_reference as intent_reference,
        refund.amount, refund.currency, refund.reason, refund.status, refund.provider_reference,
        refund.key_number, refund.attempts, refund.created_at`,
  )

/** Whether a state of a claimed refund that the provider reported meanwhile has been saved. */
export const wasReported = async (scope: Scope, { id, provider_reference }: ClaimedRefund) =>
  (await first(
    scope,
    sql`
      select 1 from payment_refunds
      where org_id = ${scope.orgId} and id = ${id} and provider_reference is distinct from ${provider_reference}`,
  )) !== undefined

export const postponeRefund = (
  scope: Scope,
  id: string,
  waitMs: number,
  usesNewKey: boolean,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const [row] = await rows(
      transaction,
      sql<{ at: NotNull<string> }>`
        update payment_refunds
        set key_number = key_number + ${usesNewKey ? 1 : 0},
          next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
        where org_id = ${scope.orgId}
          and id = ${id}
          and status = 'pending'
        returning next_attempt_at as at`,
    )
    if (row) await enqueue(transaction, SendRefund, [{ payload: { refundId: id }, at: new Date(row.at) }])
  })

export const failRefund = (transaction: Transaction, id: string, failureCode: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      update payment_refunds
      set status = 'failed',
        failure_code = ${failureCode},
        next_attempt_at = null,
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}
        and status = 'pending'
      returning id`,
  )

export interface SavedRefund {
  readonly id: string
  readonly json: string
  readonly status: string
  /** Null for a refund that was made at the provider and is new here. */
  readonly previous_status: string | null
}

/**
 * Updates our refund, or inserts one that was made at the provider, or by the bank of the guest with a dispute. Undefined
 * when nothing changed.
 */
export const saveProviderRefund = (
  transaction: Transaction,
  intentId: string,
  { account_id, currency }: { account_id: string; currency: string },
  { reference, ourId, amount, status, failureCode }: ProviderRefund,
  reason: 'other' | 'dispute' = 'other',
) =>
  first(
    transaction,
    sql<SavedRefund>`
      with known as (
        select id, status
        from payment_refunds
        where org_id = ${transaction.orgId}
          and payment_intent_id = ${intentId}
          and (provider_reference = ${reference} or id::text = ${ourId})
        for update),
      changed as (
        update payment_refunds refund
        set status = ${status},
          provider_reference = ${reference},
          failure_code = ${failureCode},
          attempts = 0,
          next_attempt_at = case
            when ${status} = 'pending' and refund.reason <> 'dispute' then now() + interval '1 hour' end,
          version = version + 1,
          updated_at = now()
        from known
        where refund.org_id = ${transaction.orgId}
          and refund.id = known.id
          and (refund.status, refund.provider_reference) is distinct from (${status}::text, ${reference}::text)
        returning refund.id, refund.json, refund.status, known.status as previous_status),
      added as (
        insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason, status,
          provider_reference, failure_code, next_attempt_at)
        select ${transaction.orgId}::uuid, ${account_id}::uuid, ${intentId}::uuid, ${amount}::bigint,
          ${currency}, ${reason}, ${status}, ${reference}, ${failureCode}, null
        where not exists (select 1 from known) and (${reason}, ${status}) <> ('dispute', 'canceled')
        returning id, json, status, null as previous_status)
      select *
      from changed
      union all
      select *
      from added`,
  )
