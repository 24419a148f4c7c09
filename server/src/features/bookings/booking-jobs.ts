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

/** Confirms a pending booking that has been paid for. */
export const ConfirmPaid = job<{ bookingId: string }>({
  name: 'confirm-paid',
  queue: 'payments',
  key: ({ bookingId }) => bookingId,
})
