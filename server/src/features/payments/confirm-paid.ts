import { sql } from 'kysely'
import { first, type Scope } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { changeBooking } from '../bookings/change-booking.ts'

/**
 * A pending booking that is paid in full is confirmed, so that no hold ends under a guest who has paid. One that was
 * decided meanwhile, or whose hold is over, stays as it is: what was paid for it goes back.
 */
export async function confirmPaid(scope: Scope, bookingId: string): Promise<void> {
  if (!(await isPaidInFull(scope, bookingId))) return
  try {
    await changeBooking(scope, bookingId, undefined, { status: 'confirmed' })
  } catch (error) {
    if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error
  }
}

const isPaidInFull = async (scope: Scope, bookingId: string): Promise<boolean> =>
  (await first(
    scope,
    sql`select 1 from bookings b
      where b.org_id = ${scope.orgId} and b.id = ${bookingId} and b.status = 'pending' and b.deleted_at is null
        and b.total_cents <= (select sum(p.amount_received - p.amount_refunded) from payment_intents p
          where p.org_id = b.org_id and p.booking_id = b.id and p.status = 'succeeded')`,
  )) !== undefined
