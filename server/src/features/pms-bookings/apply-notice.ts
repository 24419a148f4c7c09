import { atomically } from '#db/scope.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import { enqueue } from '#queue/job.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import type { ApplyNotice } from '../pms-events/booking-notice.ts'
import { fetchBooking } from './hear-booking.ts'
import { AskForBookings } from './pms-booking-jobs.ts'
import { speak } from './speak.ts'

/** Brings the booking that a notice is about to what the PMS has; one that does not say which has all be asked for. */
export const noticeApplier =
  (connections: Connections): ApplyNotice =>
  async (scope, { target, body }) => {
    return await speak(scope, connections, target, async (speaking) => {
      const ref = speaking.pms.bookings.named(body)
      if (ref) {
        await fetchBooking(scope, target, speaking, ref, body)
        return true
      }
      if (speaking.provider.bookings.pollSeconds === null) throw nameless()
      await atomically(scope, (transaction) =>
        enqueue(transaction, AskForBookings, [{ payload: { targetId: target.id } }]),
      )
      return false
    })
  }

const nameless = () =>
  new PmsFailure(
    'validation_rejected',
    'The message does not say by an external_id which booking it is about.',
    {
      hint: 'Correct what the PMS sends.',
    },
  )
