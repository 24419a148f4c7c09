import { handle } from '#queue/job.ts'
import { eraseGuest, eraseTraces, type Erasing } from './erase-guest.ts'
import { EraseAgain, EraseGuest } from './erasure-job.ts'

const nobody = { emails: [], phones: [], names: [] }

export const guestJobs = (erasing: Erasing) => [
  handle(EraseGuest, (scope, { erasureId }, { signal }) => eraseGuest(scope, erasing, erasureId, signal)),
  handle(EraseAgain, (scope, { targetId, pmsBookingId }, { signal }) =>
    eraseTraces(
      scope,
      { bookingIds: [], pms: [{ targetId, id: pmsBookingId }], guest: nobody, anywhere: nobody },
      signal,
    ),
  ),
]
