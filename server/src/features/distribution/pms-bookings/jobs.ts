import { job } from '#queue/job.ts'

/** Polls the PMS of a target for bookings, because its notices can get lost. */
export const PollBookings = job<{ targetId: string }>({
  name: 'ask-for-bookings',
  queue: 'webhooks',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Retries a booking that could not be applied. */
export const RetryBookingConflict = job<{ conflictId: string }>({
  name: 'retry-booking-conflict',
  queue: 'webhooks',
  key: ({ conflictId }) => conflictId,
})
