import { job } from '#queue/job.ts'

/** Takes a guest out of everything that is kept. */
export const EraseGuest = job<{ erasureId: string }>({
  name: 'erase-guest',
  queue: 'upkeep',
  key: ({ erasureId }) => erasureId,
})

/** Takes out what a PMS told of a guest who is forgotten already. */
export const EraseAgain = job<{ targetId: string; pmsBookingId: string }>({
  name: 'erase-again',
  queue: 'upkeep',
  key: ({ targetId, pmsBookingId }) => `${targetId} ${pmsBookingId}`,
})
