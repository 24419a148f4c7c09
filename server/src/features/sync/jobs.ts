import { handle } from '#queue/job.ts'
import { checkTarget } from '../channel-targets/check-target.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { CheckTarget, SyncListing } from '../sync-requests/sync-listing-job.ts'
import { pushListing } from './push-listing.ts'

export const syncJobs = (connections: Connections) => [
  handle(SyncListing, (scope, { listingId }, run) => pushListing(scope, connections, listingId, run)),
  handle(CheckTarget, (scope, { targetId }) => checkTarget(scope, connections, targetId)),
]
