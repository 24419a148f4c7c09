import type { Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { markForCheck, type Nights } from './check-queries.ts'
import { ReadTargetBack } from './sync-jobs.ts'

/** Several notices of one change at the PMS are answered by one look. */
const gatherMs = 2_000

/** Asks for a look at the PMS soon, because it says that these nights have changed there. */
export async function requestCheck(
  transaction: Transaction,
  targetId: string,
  nights: Nights,
): Promise<void> {
  if (await markForCheck(transaction, targetId, nights, gatherMs))
    await enqueue(transaction, ReadTargetBack, [{ payload: { targetId }, afterMs: gatherMs + 50 }])
}
