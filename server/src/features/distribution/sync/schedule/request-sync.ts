import { job, enqueue } from '#queue/job.ts'
import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/scope.ts'
import type { ListingSelection, SyncTrigger } from '#features/distribution/sync/state.ts'
import {
  markForCheck,
  markPending,
  type CheckedNights,
  type RequestedSync,
} from '#features/distribution/sync/state-queries.ts'

/** Brings the PMS of a target up to date with all its listings that are due. */
export const SyncTarget = job<{ targetId: string }>({
  name: 'sync-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Checks whether the PMS of a target responds and accepts the credentials. */
export const CheckTarget = job<{ targetId: string }>({
  name: 'check-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Verifies the due listings of a target: reads the PMS back, or follows its tasks. */
export const VerifyTarget = job<{ targetId: string }>({
  name: 'read-target-back',
  queue: 'verification',
  key: ({ targetId }) => targetId,
})

/**
 * Requests a push in the transaction of a change: every selected listing becomes `pending`, and each of their targets
 * has a job that runs in time. Returns what was requested, with the id of the job; it may have been waiting already.
 */
export async function requestSync(
  transaction: Transaction,
  selection: ListingSelection,
  trigger: SyncTrigger,
  mode: 'delta' | 'full' = 'delta',
): Promise<(RequestedSync & { jobId: string })[]> {
  const requested = await markPending(transaction, selection, trigger, mode)
  const jobs = new Map<string, { jobId: string; at: Date | null }>()
  for (const { channel_target_id: targetId, needs_job, is_due, due_at } of requested) {
    const job = jobs.get(targetId) ?? { jobId: randomUUID(), at: undefined as Date | null | undefined }
    if (needs_job && job.at !== null)
      job.at = is_due ? null : new Date(Math.min(Date.parse(due_at), job.at?.getTime() ?? Infinity))
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

/** Several notices of one change at the PMS cause one read-back. */
const collectMs = 2_000

/** Requests a read-back soon, because the PMS reports that these nights have changed there. */
export async function requestCheck(
  transaction: Transaction,
  targetId: string,
  nights: CheckedNights,
): Promise<void> {
  if (await markForCheck(transaction, targetId, nights, collectMs))
    await enqueue(transaction, VerifyTarget, [{ payload: { targetId }, afterMs: collectMs + 50 }])
}
