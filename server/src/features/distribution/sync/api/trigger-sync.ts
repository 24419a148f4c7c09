import { atomically, type Scope } from '#db/scope.ts'
import { findWaitingJob } from '#queue/job.ts'
import { withMembers } from '#db/records.ts'
import { requestSync, SyncTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { probeNow } from '#features/distribution/pms-access/queries.ts'
import { assertPushable, findSyncStatus } from './statuses.ts'

/**
 * A user requests a sync now: waits and earlier attempts are reset. Returns the sync status with the job, as JSON
 * text.
 * @throws NotFound, Conflict
 */
export const triggerSync = (
  scope: Scope,
  listingId: string,
  mode: 'delta' | 'full' = 'delta',
): Promise<string> =>
  atomically(scope, async (transaction) => {
    await assertPushable(transaction, listingId)
    const [requested] = await requestSync(transaction, { listingId }, 'manual', mode)
    const targetId = requested!.channel_target_id
    await probeNow(transaction, [targetId])
    const waiting = await findWaitingJob(transaction, SyncTarget, { targetId })
    return withMembers(await findSyncStatus(transaction, listingId), {
      job_id: JSON.stringify(waiting ?? requested!.running_job ?? requested!.jobId),
      mode: JSON.stringify(mode),
      trigger: '"manual"',
      coalesced: JSON.stringify(requested!.coalesced),
      queued_at: JSON.stringify(new Date().toISOString()),
    })
  })
