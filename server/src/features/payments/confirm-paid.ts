import type { Scope } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { changeBooking } from '../bookings/change-booking.ts'
import { waitsPaidInFull } from './settle-queries.ts'

/**
 * A pending booking that is paid in full is confirmed, so that no hold ends under a guest who has paid. One that was
 * decided meanwhile, or whose hold is over, stays as it is: what was paid for it goes back.
 */
export async function confirmPaid(scope: Scope, bookingId: string): Promise<void> {
  if (!(await waitsPaidInFull(scope, bookingId))) return
  try {
    await changeBooking(scope, bookingId, undefined, { status: 'confirmed' })
  } catch (error) {
    if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error
  }
}
