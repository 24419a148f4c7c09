import { handle } from '#queue/job.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { CheckTarget, SyncTarget } from '../sync-requests/sync-jobs.ts'
import { checkTarget } from './check-target.ts'
import { pushTarget } from './push-target.ts'

export const syncJobs = (connections: Connections) => [
  handle(SyncTarget, (scope, { targetId }, run) => pushTarget(scope, connections, targetId, run)),
  handle(CheckTarget, (scope, { targetId }) => checkTarget(scope, connections, targetId)),
]
