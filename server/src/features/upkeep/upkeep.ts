import type { Database } from '#db/connect.ts'
import { atomically, type Outbox, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { enqueue, type Job } from '#queue/job.ts'
import { CheckTarget, SyncListing } from '../sync-requests/sync-listing-job.ts'
import { forgetExpired, overdueSyncs, targetsToCheck } from './queries.ts'

interface Keeper {
  readonly database: Database
  readonly outbox: Outbox
}

/**
 * What nobody asks for but everybody relies on: a push whose job was lost is enqueued again, targets are asked
 * how they are, what is past its time is removed. Every worker may do it; doing it twice changes nothing.
 */
export function keepUp(keeper: Keeper): () => void {
  const timers = [
    every(15_000, () => rescueOverdue(keeper)),
    every(60_000, () => checkTargets(keeper)),
    every(600_000, () => forgetExpired(keeper.database)),
  ]
  return () => timers.forEach(clearInterval)
}

export async function rescueOverdue(keeper: Keeper): Promise<number> {
  const overdue = await overdueSyncs(keeper.database)
  if (overdue.length > 0) events.overdueFound(overdue.length)
  await enqueueAll(keeper, SyncListing, overdue, ({ channel_listing_id }) => ({
    listingId: channel_listing_id,
  }))
  return overdue.length
}

async function checkTargets(keeper: Keeper): Promise<void> {
  const targets = await targetsToCheck(keeper.database)
  await enqueueAll(keeper, CheckTarget, targets, ({ channel_target_id }) => ({ targetId: channel_target_id }))
}

async function enqueueAll<Row extends { org_id: string }, Payload extends object>(
  { database, outbox }: Keeper,
  job: Job<Payload>,
  found: Row[],
  payload: (row: Row) => Payload,
) {
  for (const [orgId, those] of Map.groupBy(found, ({ org_id }) => org_id)) {
    const scope: Scope = {
      orgId,
      accountId: null,
      actor: { type: 'system', id: 'upkeep', name: 'Vacancy' },
      traceparent: null,
      database,
      outbox,
    }
    await atomically(scope, (transaction) =>
      enqueue(
        transaction,
        job,
        those.map((row) => ({ payload: payload(row) })),
      ),
    )
  }
}

const every = (ms: number, work: () => Promise<unknown>) =>
  setInterval(() => void work().catch((error: unknown) => events.queueTrouble(error)), ms)
