import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { isFinal, type IntentStatus } from '#outside/payments/payments-states.ts'
import { enqueue } from '#queue/job.ts'
import type { PaymentIntentInput } from './payment-intent.ts'
import { SettlePayment } from './payment-jobs.ts'

/** A payment with its sealed secret; who may see that is not decided here. */
export interface StoredIntent extends Stored {
  readonly id: string
  readonly client_secret: Buffer | null
  readonly status: IntentStatus
  readonly provider_reference: string | null
  readonly requested: 'capture' | 'cancel' | null
}

const stored = sql`id, json, version, client_secret, status, provider_reference, requested`
const filterColumns = ['org_id', 'account_id', 'booking_id', 'status']

export const listIntents = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<StoredIntent & Listed>`select p.id, p.json, p.client_secret, ${sortColumn('p', page)} as sort_value
      from payment_intents p
      where p.org_id = ${scope.orgId}${filters('p', filter, filterColumns)}${pageClause('p', page)}`,
  )

export async function findIntent(scope: Scope, id: string): Promise<StoredIntent> {
  const found = await first(
    scope,
    sql<StoredIntent>`select ${stored} from payment_intents where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('payment intent', id)
  return found
}

/**
 * Asks for a payment: the row, and the job that opens it at the provider. What is asked for already is not asked for
 * again. @throws NotFound, Conflict, Invalid
 */
export const askPayment = (scope: Scope, asked: PaymentIntentInput): Promise<string> =>
  atomically(scope, async (transaction) => {
    const { orgId } = transaction
    const { booking_id, amount, currency, capture_method = 'automatic' } = asked
    const booking = await lockPayable(transaction, booking_id)
    if (currency !== booking.currency)
      throw semanticError('currency', `currency must be that of the booking, ${booking.currency}.`)
    const open = await first(
      transaction,
      sql<{
        id: string
      }>`select id from payment_intents where org_id = ${orgId} and booking_id = ${booking_id}
          and amount = ${amount} and currency = ${currency} and capture_method = ${capture_method}
          and status not in ('canceled', 'succeeded') and requested is distinct from 'cancel'`,
    )
    if (open) return open.id
    if (amount > booking.outstanding)
      throw semanticError(
        'amount',
        booking.outstanding > 0
          ? `amount must be at most ${booking.outstanding}: the rest is paid, or asked for already.`
          : 'Nothing is outstanding: all of it is paid, or asked for already.',
        'too_big',
      )
    const added = await first(
      transaction,
      sql<{
        id: string
      }>`insert into payment_intents (org_id, account_id, booking_id, amount, currency, capture_method)
        values (${orgId}, ${booking.account_id}, ${booking_id}, ${amount}, ${currency}, ${capture_method}) returning id`,
    )
    await enqueue(transaction, SettlePayment, [{ payload: { intentId: added!.id } }])
    return added!.id
  })

/** Asks the provider to let a payment go, or to take what it holds. @throws NotFound, Conflict, Invalid */
export const requestOf = (
  scope: Scope,
  id: string,
  requested: 'capture' | 'cancel',
  amount: number | null = null,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const intent = await lockIntent(transaction, id)
    if (intent.status === 'canceled' && requested === 'cancel') return
    if (intent.requested === 'cancel' ? requested === 'capture' : !allows(intent.status, requested))
      throw new Conflict(
        'invalid-status-transition',
        `A payment that is ${intent.status} cannot be ${requested === 'cancel' ? 'cancelled' : 'captured'}.`,
      )
    if (amount !== null && amount > intent.amount)
      throw semanticError('amount', `amount must be at most ${intent.amount}.`, 'too_big')
    await markRequested(transaction, [id], requested, amount)
  })

const allows = (status: IntentStatus, requested: 'capture' | 'cancel') =>
  requested === 'capture' ? status === 'requires_capture' : !isFinal(status) && status !== 'processing'

export async function markRequested(
  transaction: Transaction,
  ids: readonly string[],
  requested: 'capture' | 'cancel',
  amount: number | null = null,
): Promise<void> {
  await rows(
    transaction,
    sql`update payment_intents set requested = ${requested}, capture_amount = ${amount}, version = version + 1,
        next_attempt_at = now() + interval '1 minute', updated_at = now()
      where org_id = ${transaction.orgId} and id = any(${ids}::uuid[])
        and (requested is distinct from ${requested} or capture_amount is distinct from ${amount}::bigint)`,
  )
  await enqueue(
    transaction,
    SettlePayment,
    ids.map((intentId) => ({ payload: { intentId } })),
  )
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
}

export async function lockIntent(transaction: Transaction, id: string): Promise<LockedIntent> {
  const found = await first(
    transaction,
    sql<LockedIntent>`select id, account_id, booking_id, amount, currency, status, requested, amount_received,
        amount_refunded
      from payment_intents where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!found) throw new NotFound('payment intent', id)
  return found
}

/** The booking, which stays as it is meanwhile, and what of it is neither paid nor asked for. */
async function lockPayable(transaction: Transaction, id: string) {
  const booking = await first(
    transaction,
    sql<{ account_id: string; total_cents: number; currency: string; status: string }>`
      select account_id, total_cents, currency, status from bookings
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for no key update`,
  )
  if (!booking) throw new NotFound('booking', id)
  if (['cancelled', 'declined', 'expired'].includes(booking.status))
    throw new Conflict('booking-ended', `The booking is ${booking.status}: nothing can be paid for it.`)
  const taken = await first(
    transaction,
    sql<{
      cents: number
    }>`select coalesce(sum(case when status = 'succeeded' then amount_received - amount_refunded
          when status = 'canceled' then 0 else amount end), 0)::bigint as cents
      from payment_intents where org_id = ${transaction.orgId} and booking_id = ${id}`,
  )
  return { ...booking, outstanding: Number(booking.total_cents) - Number(taken!.cents) }
}
