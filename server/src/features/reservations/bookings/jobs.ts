import { job } from '#queue/job.ts'

/** Expires a pending booking, which frees its rooms. */
export const ExpireHold = job<{ bookingId: string }>({
  name: 'expire-hold',
  queue: 'upkeep',
  key: ({ bookingId }) => bookingId,
})

/** Cancels open payments and refunds the others by the policy, once a booking has ended before its stay. */
export const SettleCancellation = job<{ bookingId: string }>({
  name: 'settle-cancellation',
  queue: 'payments',
  key: ({ bookingId }) => bookingId,
})

/** Confirms a pending booking that is paid in full. */
export const ConfirmPaid = job<{ bookingId: string }>({
  name: 'confirm-paid',
  queue: 'payments',
  key: ({ bookingId }) => bookingId,
})
