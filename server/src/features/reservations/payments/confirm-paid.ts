import { sql } from '#db/sql.ts'
import { type Scope, first } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { changeBooking } from '#features/reservations/bookings/change-booking.ts'

/**
 * Confirms a pending booking that is paid in full. One that is not pending any more, or whose hold has expired, stays
 * unchanged: its payment is refunded.
 */
export async function confirmPaid(scope: Scope, bookingId: string): Promise<void> {
  if (!(await isPendingAndPaid(scope, bookingId))) return
  try {
    await changeBooking(scope, bookingId, undefined, { status: 'confirmed' })
  } catch (error) {
    if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error
  }
}

/** Whether a booking is pending although its price is paid in full, less refunds. */
const isPendingAndPaid = async (scope: Scope, bookingId: string): Promise<boolean> =>
  (await first(
    scope,
    sql`
      select 1
      from bookings booking
      where booking.org_id = ${scope.orgId}
        and booking.id = ${bookingId}
        and booking.status = 'pending'
        and booking.deleted_at is null
        and booking.total_cents <= (
          select sum(intent.amount_received - intent.amount_refunded)
          from payment_intents intent
          where intent.org_id = booking.org_id
            and intent.booking_id = booking.id
            and intent.currency = booking.currency
            and intent.status = 'succeeded')`,
  )) !== undefined
