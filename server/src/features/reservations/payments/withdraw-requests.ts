import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { saveRequest } from './request-action.ts'

/**
 * Cancels the payments that a guest has not made yet and that ask for more than is still to pay, the latest first. Called
 * when the price of a booking was lowered or has another currency, and when money that was refunded is back.
 */
export const withdrawRequests = (scope: Scope, bookingId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const excessive = await listExcessive(transaction, bookingId)
    await saveRequest(
      transaction,
      excessive.map(({ id }) => id),
      'cancel',
    )
  })

/** What a card holds or a bank processes stays: it is counted first, then the requests by age. */
const listExcessive = (transaction: Transaction, bookingId: string) =>
  rows(
    transaction,
    sql<{ id: string }>`
      with payment as (
        select intent.id, intent.created_at, booking.total_cents,
          intent.currency = booking.currency as is_of_price,
          intent.status in ('requires_payment_method', 'requires_confirmation', 'requires_action') as is_waiting,
          case when intent.status = 'succeeded' then intent.amount_received - intent.amount_refunded
            else intent.amount end as cents
        from payment_intents intent
        join bookings booking on booking.org_id = intent.org_id and booking.id = intent.booking_id
        where intent.org_id = ${transaction.orgId}
          and intent.booking_id = ${bookingId}
          and intent.status <> 'canceled'
          and intent.requested is distinct from 'cancel'
          and booking.deleted_at is null
          and booking.status not in ('cancelled', 'declined', 'expired')
        order by intent.id
        for update of intent)
      select id
      from (
        select id, is_of_price, is_waiting, total_cents,
          sum(cents) over (partition by is_of_price order by is_waiting, created_at, id) as asked_cents
        from payment) counted
      where is_waiting
        and (asked_cents > total_cents or not is_of_price)`,
  )
