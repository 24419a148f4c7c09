import type { Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#outside/pms/pms-booking.ts'
import { enqueue } from '#queue/job.ts'
import { isForgotten } from '../guests/erasure-queries.ts'
import { EraseAgain } from '../guests/erasure-job.ts'

/** The message that told of it is settled by then. */
const settledAfterMs = 60_000

/** A PMS goes on telling who the guest is: of one who is forgotten, only the stay is taken. */
export async function unlessForgotten(
  transaction: Transaction,
  targetId: string,
  booking: PmsBooking,
  knownLines: readonly string[],
): Promise<PmsBooking> {
  if (!(await isForgotten(transaction, targetId, booking.id, [booking.id, ...knownLines]))) return booking
  await enqueue(transaction, EraseAgain, [
    { payload: { targetId, pmsBookingId: booking.id }, afterMs: settledAfterMs },
  ])
  return { ...booking, guestName: null, guestEmail: null, guestPhone: null, notes: null }
}
