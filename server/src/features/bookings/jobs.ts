import { handle } from '#queue/job.ts'
import { ExpireHold } from './booking-jobs.ts'
import { expireHold } from './expire-hold.ts'

export const bookingJobs = [handle(ExpireHold, (scope, { bookingId }) => expireHold(scope, bookingId))]
