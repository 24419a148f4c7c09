import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import type { Concern } from './concern.ts'
import { markWanted, type Requested, type SyncTrigger } from './queries.ts'
import { SyncTarget } from './sync-jobs.ts'

/**
 * Says, inside the transaction of a change, that the PMS must hear of it: every listing concerned becomes
 * `pending`, and every target of theirs has a job that comes in time. Returns what was asked for, with the id of
 * the job that was meant for it: another may have waited already.
 */
export async function requestSync(
  transaction: Transaction,
  concern: Concern,
  trigger: SyncTrigger,
  mode: 'delta' | 'full' = 'delta',
): Promise<(Requested & { jobId: string })[]> {
  const requested = await markWanted(transaction, concern, trigger, mode)
  const jobs = new Map<string, { jobId: string; at: Date | null }>()
  for (const { channel_target_id: targetId, jobless, now, due_at } of requested) {
    const job = jobs.get(targetId) ?? { jobId: randomUUID(), at: undefined as Date | null | undefined }
    if (jobless && job.at !== null)
      job.at = now ? null : new Date(Math.min(Date.parse(due_at), job.at?.getTime() ?? Infinity))
    jobs.set(targetId, job as { jobId: string; at: Date | null })
  }
  await enqueue(
    transaction,
    SyncTarget,
    [...jobs]
      .filter(([, { at }]) => at !== undefined)
      .map(([targetId, { jobId, at }]) => ({ id: jobId, payload: { targetId }, at })),
  )
  return requested.map((one) => ({ ...one, jobId: jobs.get(one.channel_target_id)!.jobId }))
}
