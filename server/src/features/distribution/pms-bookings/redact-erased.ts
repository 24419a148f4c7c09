import type { Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import { enqueue } from '#queue/job.ts'
import { isGuestErased } from '#features/reservations/guests/erased-bookings.ts'
import { ErasePmsBooking } from '#features/reservations/guests/jobs.ts'

/** The message that carried the booking is processed by then. */
const eraseDelayMs = 60_000

/** Removes the guest from a booking of an erased guest, because the PMS still sends the name and contacts. */
export async function redactErased(
  transaction: Transaction,
  targetId: string,
  booking: PmsBooking,
  externalIds: readonly string[],
): Promise<PmsBooking> {
  if (!(await isGuestErased(transaction, targetId, booking.id, [booking.id, ...externalIds]))) return booking
  await enqueue(transaction, ErasePmsBooking, [
    { payload: { targetId, pmsBookingId: booking.id }, afterMs: eraseDelayMs },
  ])
  return { ...booking, guestName: null, guestEmail: null, guestPhone: null, notes: null }
}
