import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import type { RefundReason, RefundTruth } from '#outside/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import { SendRefund } from './payment-jobs.ts'
import type { PaymentRefundInput } from './payment-refund.ts'
import { lockIntent, type LockedIntent } from './queries.ts'

const filterColumns = ['org_id', 'account_id', 'payment_intent_id', 'status', 'reason']

export const listRefunds = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select r.id, r.json, ${sortColumn('r', page)} as sort_value from payment_refunds r
      where r.org_id = ${scope.orgId}${filters('r', filter, filterColumns)}${pageClause('r', page)}`,
  )

export async function findRefund(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select json, version from payment_refunds where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('refund', id)
  return found
}

/** Gives back some or all of what was paid: the row, and the job that asks the provider. @throws NotFound, Conflict, Invalid */
export const askRefund = (
  scope: Scope,
  intentId: string,
  asked: PaymentRefundInput,
): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const intent = await lockIntent(transaction, intentId)
    const left = intent.amount_received - intent.amount_refunded
    if (intent.status !== 'succeeded')
      throw new Conflict(
        'invalid-status-transition',
        `A payment that is ${intent.status} has nothing to give back.`,
      )
    if (left === 0)
      throw new Conflict('invalid-status-transition', 'All of the payment has gone back already.')
    const { amount = left, reason = 'requested_by_guest' } = asked
    if (amount > left)
      throw semanticError(
        'amount',
        `amount must be at most ${left}: the rest has gone back already.`,
        'too_big',
      )
    return await addRefund(transaction, intent, amount, reason)
  })

/** The payment is locked, and has the amount left. */
export async function addRefund(
  transaction: Transaction,
  { id, account_id, currency }: LockedIntent,
  amount: number,
  reason: RefundReason,
): Promise<Stored & { id: string }> {
  const added = await first(
    transaction,
    sql<
      Stored & { id: string }
    >`insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason)
      values (${transaction.orgId}, ${account_id}, ${id}, ${amount}, ${currency}, ${reason}) returning id, json, version`,
  )
  await countRefunds(transaction, id)
  await enqueue(transaction, SendRefund, [{ payload: { refundId: added!.id } }])
  return added!
}

/** What has gone back, or is on its way, counted anew: never more than was paid, though two may ask for the same at once, here and there. */
export const countRefunds = (transaction: Transaction, intentId: string) =>
  first(
    transaction,
    sql<{
      json: string
    }>`update payment_intents p set amount_refunded = least(r.cents, p.amount_received), version = version + 1, updated_at = now()
      from (select coalesce(sum(amount), 0)::bigint as cents from payment_refunds
        where org_id = ${transaction.orgId} and payment_intent_id = ${intentId} and status in ('pending', 'succeeded')) r
      where p.org_id = ${transaction.orgId} and p.id = ${intentId} and p.amount_refunded <> least(r.cents, p.amount_received) returning p.json`,
  )

export interface ClaimedRefund {
  readonly id: string
  readonly payment_intent_id: string
  readonly intent_reference: string
  readonly amount: number
  readonly currency: string
  readonly reason: RefundReason
  readonly status: string
  readonly provider_reference: string | null
  readonly key_number: number
  readonly attempts: number
}

/** Counts the attempt before it is made; nothing when the refund has come to its end. */
export const claimRefund = (scope: Scope, id: string) =>
  first(
    scope,
    sql<ClaimedRefund>`update payment_refunds r set attempts = r.attempts + 1,
        next_attempt_at = now() + interval '1 minute'
      from payment_intents p
      where r.org_id = ${scope.orgId} and r.id = ${id} and r.status = 'pending'
        and p.org_id = r.org_id and p.id = r.payment_intent_id and p.provider_reference is not null
      returning r.id, r.payment_intent_id, p.provider_reference as intent_reference, r.amount, r.currency, r.reason,
        r.status, r.provider_reference, r.key_number, r.attempts`,
  )

export const putOffRefund = (scope: Scope, id: string, waitMs: number, otherKey: boolean): Promise<void> =>
  atomically(scope, async (transaction) => {
    const [row] = await rows(
      transaction,
      sql<{ at: string }>`update payment_refunds set key_number = key_number + ${otherKey ? 1 : 0},
          next_attempt_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
        where org_id = ${scope.orgId} and id = ${id} and status = 'pending' returning next_attempt_at as at`,
    )
    if (row) await enqueue(transaction, SendRefund, [{ payload: { refundId: id }, at: new Date(row.at) }])
  })

export const failRefund = (transaction: Transaction, id: string, failureCode: string) =>
  first(
    transaction,
    sql<{
      id: string
    }>`update payment_refunds set status = 'failed', failure_code = ${failureCode}, next_attempt_at = null,
        version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and id = ${id} and status = 'pending' returning id`,
  )

export interface WrittenRefund {
  readonly id: string
  readonly json: string
  readonly status: string
  /** The status before; null of one that was made at the provider and is new here. */
  readonly before: string | null
}

/** Writes one refund as the provider knows it: ours, by its id, or one made there. Nothing when nothing is new. */
export const writeRefund = (
  transaction: Transaction,
  intentId: string,
  { account_id, currency }: { account_id: string; currency: string },
  { reference, ourId, amount, status, failureCode }: RefundTruth,
) =>
  first(
    transaction,
    sql<WrittenRefund>`with known as (
        select id, status from payment_refunds where org_id = ${transaction.orgId} and payment_intent_id = ${intentId}
          and (provider_reference = ${reference} or id::text = ${ourId}) for update),
      changed as (
        update payment_refunds r set status = ${status}, provider_reference = ${reference}, failure_code = ${failureCode},
          attempts = 0, next_attempt_at = case when ${status} = 'pending' then now() + interval '1 hour' end,
          version = version + 1, updated_at = now()
        from known k where r.org_id = ${transaction.orgId} and r.id = k.id
          and (r.status, r.provider_reference) is distinct from (${status}::text, ${reference}::text)
        returning r.id, r.json, r.status, k.status as before),
      added as (
        insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason, status,
          provider_reference, failure_code, next_attempt_at)
        select ${transaction.orgId}::uuid, ${account_id}::uuid, ${intentId}::uuid, ${amount}::bigint, ${currency}, 'other',
          ${status}, ${reference}, ${failureCode}, null where not exists (select 1 from known)
        returning id, json, status, null as before)
      select * from changed union all select * from added`,
  )
