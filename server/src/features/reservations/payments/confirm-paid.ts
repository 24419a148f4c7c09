import { sql } from 'kysely'
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
    sql`select 1 from bookings b
      where b.org_id = ${scope.orgId} and b.id = ${bookingId} and b.status = 'pending' and b.deleted_at is null
        and b.total_cents <= (select sum(p.amount_received - p.amount_refunded) from payment_intents p
          where p.org_id = b.org_id and p.booking_id = b.id and p.status = 'succeeded')`,
  )) !== undefined
