import { Conflict, NotFound } from '#errors.ts'
import { handle } from '#queue/job.ts'
import { askForBookings, type Asking } from './ask-for-bookings.ts'
import { retryConflict } from './close-conflict.ts'
import { AskForBookings, RetryBookingConflict } from './pms-booking-jobs.ts'

export const pmsBookingJobs = (asking: Asking) => [
  handle(AskForBookings, (scope, { targetId }, run) => askForBookings(scope, asking, targetId, run)),
  handle(RetryBookingConflict, async (scope, { conflictId }) => {
    try {
      await retryConflict(scope, asking.pms, conflictId)
    } catch (error) {
      // Closed, or gone with its target, meanwhile.
      if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error
    }
  }),
]
