import type { Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { ReadTargetBack } from '../sync-requests/sync-jobs.ts'
import { takeNextCheck } from './check-queries.ts'

/**
 * Puts a job for the next check of the target's listings into the queue, unless one waits that is early enough. Checks
 * that are further ahead than a minute are found by upkeep.
 */
export async function scheduleChecks(transaction: Transaction, targetId: string): Promise<void> {
  const next = await takeNextCheck(transaction, targetId)
  if (next) await enqueue(transaction, ReadTargetBack, [{ payload: { targetId }, at: new Date(next.at) }])
}
