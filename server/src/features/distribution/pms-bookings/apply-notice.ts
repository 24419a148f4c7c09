import { atomically } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { enqueue } from '#queue/job.ts'
import { withPms, type Connections } from '#features/distribution/pms-access/connect.ts'
import type { ApplyBookingNotice } from '#features/distribution/pms-messages/effects.ts'
import { fetchBooking } from './fetch-booking.ts'
import { PollBookings } from './jobs.ts'

/** Fetches and applies the booking of a notice. A notice that does not identify a booking causes a poll of all. */
export const createNoticeApplier =
  (connections: Connections): ApplyBookingNotice =>
  async (scope, { target, body, occurredAt }) => {
    return await withPms(scope, connections, target, async (access) => {
      const ref = access.pms.bookings.parseRef(body)
      if (ref) {
        await fetchBooking(scope, target, access, ref, { body, occurredAt })
        return true
      }
      if (!access.pms.bookings.polling) throw missingIdFailure()
      await atomically(scope, (transaction) =>
        enqueue(transaction, PollBookings, [{ payload: { targetId: target.id } }]),
      )
      return false
    })
  }

const missingIdFailure = () =>
  new PmsFailure('validation_rejected', 'The message has no external_id, so its booking is unknown.', {
    hint: 'Send the external_id of the booking in the message.',
  })
