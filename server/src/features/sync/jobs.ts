import { handle } from '#queue/job.ts'
import { CheckTarget, ReadTargetBack, SyncTarget } from '../sync-requests/sync-jobs.ts'
import { checkTarget } from './check-target.ts'
import { pushTarget, type Engine } from './push-target.ts'
import { readTargetBack } from './read-target-back.ts'

export const syncJobs = (engine: Engine) => [
  handle(SyncTarget, (scope, { targetId }, run) => pushTarget(scope, engine, targetId, run)),
  handle(ReadTargetBack, (scope, { targetId }, run) => readTargetBack(scope, engine, targetId, run)),
  handle(CheckTarget, (scope, { targetId }) => checkTarget(scope, engine, targetId)),
]
