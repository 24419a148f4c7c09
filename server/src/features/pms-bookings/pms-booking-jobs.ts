import { job } from '#queue/job.ts'

/** Asks the PMS of a target which bookings were made there: its notices can get lost. */
export const AskForBookings = job<{ targetId: string }>({
  name: 'ask-for-bookings',
  queue: 'webhooks',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Tries to apply a booking that found no place. */
export const RetryBookingConflict = job<{ conflictId: string }>({
  name: 'retry-booking-conflict',
  queue: 'webhooks',
  key: ({ conflictId }) => conflictId,
})
