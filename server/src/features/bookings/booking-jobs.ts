import { job } from '#queue/job.ts'

/** Gives the rooms of a pending booking back when its time is over. */
export const ExpireHold = job<{ bookingId: string }>({
  name: 'expire-hold',
  queue: 'upkeep',
  key: ({ bookingId }) => bookingId,
})

/** Pays back what the policy says, once a booking is cancelled. */
export const SettleCancellation = job<{ bookingId: string }>({
  name: 'settle-cancellation',
  queue: 'payments',
  key: ({ bookingId }) => bookingId,
})
