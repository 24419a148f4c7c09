import { job } from '#queue/job.ts'

/** Erases a guest from everything that is stored. */
export const EraseGuest = job<{ erasureId: string }>({
  name: 'erase-guest',
  queue: 'upkeep',
  key: ({ erasureId }) => erasureId,
})

/** Erases what a PMS sent about a guest who is erased already. */
export const ErasePmsBooking = job<{ targetId: string; pmsBookingId: string }>({
  name: 'erase-again',
  queue: 'upkeep',
  key: ({ targetId, pmsBookingId }) => `${targetId} ${pmsBookingId}`,
})
