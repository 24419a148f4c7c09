import { sql } from '#db/sql.ts'
import { atomically, first, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { endedBeforeStay, type BookingStatus } from '#features/reservations/bookings/booking.ts'
import type { PaymentIntentInput } from './payment-intent.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { SettlePayment } from './jobs.ts'

/**
 * Inserts a payment and enqueues the job that opens it at the provider. Returns the open payment if there is an equal
 * one. @throws NotFound, Conflict, Invalid
 */
export const createPaymentIntent = (scope: Scope, input: PaymentIntentInput): Promise<string> =>
  atomically(scope, async (transaction) => {
    const { orgId } = transaction
    const { booking_id, amount, currency, capture_method = 'automatic' } = input
    const booking = await lockPayableBooking(transaction, booking_id)
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
          ? `amount must be at most ${booking.outstanding}: the rest has been paid or requested.`
          : 'Nothing is outstanding: the whole price has been paid or requested.',
        'too_big',
      )
    const added = await first(
      transaction,
      sql<{
        id: string
      }>`insert into payment_intents (org_id, account_id, booking_id, amount, currency, capture_method)
        values (${orgId}, ${booking.account_id}, ${booking_id}, ${amount}, ${currency}, ${capture_method}) returning id`,
    )
    notifyChanges(transaction, { payment_intent: [added!.id] })
    await enqueue(transaction, SettlePayment, [{ payload: { intentId: added!.id } }])
    return added!.id
  })

/** Locks the booking and computes what is neither paid nor requested. */
async function lockPayableBooking(transaction: Transaction, id: string) {
  const booking = await first(
    transaction,
    sql<{ account_id: string; total_cents: number; currency: string; status: BookingStatus }>`
      select account_id, total_cents, currency, status from bookings
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for no key update`,
  )
  if (!booking) throw new NotFound('booking', id)
  if (endedBeforeStay(booking.status))
    throw new Conflict('booking-ended', `The booking is ${booking.status}: nothing can be paid for it.`)
  const requestedTotal = await first(
    transaction,
    sql<{
      cents: number
    }>`select coalesce(sum(case when status = 'succeeded' then amount_received - amount_refunded
          when status = 'canceled' then 0 else amount end), 0)::bigint as cents
      from payment_intents
      where org_id = ${transaction.orgId} and booking_id = ${id} and currency = ${booking.currency}`,
  )
  return { ...booking, outstanding: Number(booking.total_cents) - Number(requestedTotal!.cents) }
}
