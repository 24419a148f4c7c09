import { randomUUID } from 'node:crypto'
import type { Transaction } from '#db/scope.ts'
import { enqueue } from '#queue/job.ts'
import { markWanted, type Concern, type Requested, type SyncTrigger } from './queries.ts'
import { SyncListing } from './sync-listing-job.ts'

/**
 * Says, inside the transaction of a change, that the PMS must hear of it: every listing concerned becomes
 * `pending`, with one coalesced job each. Returns what was asked for, with the id of each new job.
 */
export async function requestSync(
  transaction: Transaction,
  concern: Concern,
  trigger: SyncTrigger,
  mode: 'delta' | 'full' = 'delta',
): Promise<(Requested & { jobId: string })[]> {
  const requested = (await markWanted(transaction, concern, trigger, mode)).map((one) => ({
    ...one,
    jobId: randomUUID(),
  }))
  await enqueue(
    transaction,
    SyncListing,
    requested
      .filter(({ jobless }) => jobless)
      .map(({ channel_listing_id, due_at, now, jobId }) => ({
        id: jobId,
        payload: { listingId: channel_listing_id },
        at: now ? null : new Date(due_at),
      })),
  )
  return requested
}
