import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { waitingJob } from '#queue/job.ts'
import type { Concern } from '../sync-requests/concern.ts'
import type { SyncTrigger } from '../sync-requests/queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { SyncTarget } from '../sync-requests/sync-jobs.ts'
import { heldInSpace, probeAllNow, statusOfTarget } from './lever-queries.ts'
import { mostNamed, type ReplayInput, type RetryInput } from './lever.ts'
import { lookForPushable } from './status-queries.ts'

/** Tries failed listings again now: one, those of a target, those with a cause, or all. @throws NotFound, Conflict */
export const retryFailed = (scope: Scope, wish: RetryInput) =>
  atomically(scope, async (transaction) => {
    await refuseHeld(transaction, wish)
    const { channel_listing_id: listingId, channel_target_id: targetId, error_code: code } = wish
    const failed = { failedWith: code ? [code] : ('anything' as const), awake: true as const }
    const retry = await queue(transaction, { ...subjectOf(wish), ...failed }, 'retry')
    if (listingId && targetId && retry.targetIds.some((id) => id !== targetId))
      throw new NotFound('listing of this target', listingId)
    if (listingId && retry.queued === 0)
      throw new Conflict('not-failed', `The listing has not failed${code ? ` with ${code}` : ''}.`)
    return shown(retry)
  })

/** Sends everything of one listing or of a target again, whatever the PMS has. @throws NotFound, Conflict */
export const replay = (scope: Scope, wish: ReplayInput) =>
  atomically(scope, async (transaction) => {
    await refuseHeld(transaction, wish)
    return shown(await queue(transaction, { ...subjectOf(wish), awake: true }, 'manual', 'full'))
  })

/** Brings all listings of a space up to date, and compares them with the PMS. @throws NotFound */
export const syncProperty = (scope: Scope, spaceId: string) =>
  atomically(scope, async (transaction) => {
    const skipped = await heldInSpace(transaction, spaceId)
    if (skipped === undefined) throw new NotFound('property', spaceId)
    const { queued, listings } = shown(await queue(transaction, { spaceId, awake: true }, 'connector'))
    const [first] = listings
    const status = first ? 'pending' : 'completed'
    return { job_id: first?.job_id ?? null, property_id: spaceId, status, queued, skipped, listings }
  })

function subjectOf({ channel_listing_id: listingId, channel_target_id: targetId }: RetryInput): Concern {
  if (listingId) return { listingId }
  return targetId ? { targetId } : { everything: true }
}

/** What is named must be there, and must not be switched off. */
async function refuseHeld(transaction: Transaction, wish: ReplayInput): Promise<void> {
  const { channel_listing_id: listingId, channel_target_id: targetId } = wish
  if (targetId) {
    const status = await statusOfTarget(transaction, targetId)
    if (!status) throw new NotFound('channel target', targetId)
    if (status === 'inactive') throw targetInactive()
  }
  if (!listingId) return
  const state = await lookForPushable(transaction, listingId)
  if (!state) throw new NotFound('channel listing', listingId)
  if (state.listing === 'paused')
    throw new Conflict('listing-paused', 'The listing is paused: resume it first.')
  if (state.target === 'inactive') throw targetInactive()
}

const targetInactive = () =>
  new Conflict('target-inactive', 'The channel target is switched off: activate it first.')

interface Queued {
  queued: number
  targetIds: readonly string[]
  listings: readonly { channel_listing_id: string; job_id: string; status: 'pending' | 'in_progress' }[]
}

async function queue(
  transaction: Transaction,
  concern: Concern,
  trigger: SyncTrigger,
  mode: 'delta' | 'full' = 'delta',
): Promise<Queued> {
  const requested = await requestSync(transaction, concern, trigger, mode)
  const targetIds = [...new Set(requested.map(({ channel_target_id }) => channel_target_id))]
  if (targetIds.length > 0) await probeAllNow(transaction, targetIds)
  const named = requested.slice(0, mostNamed)
  const jobs = await jobsOf(transaction, new Set(named.map(({ channel_target_id }) => channel_target_id)))
  return {
    queued: requested.length,
    targetIds,
    listings: named.map(({ channel_listing_id, channel_target_id, running_job, jobId }) => ({
      channel_listing_id,
      job_id: running_job ?? jobs.get(channel_target_id) ?? jobId,
      status: running_job ? 'in_progress' : 'pending',
    })),
  }
}

/** The jobs that wait for these targets: another may have been there before ours. */
const jobsOf = async (transaction: Transaction, targetIds: ReadonlySet<string>) =>
  new Map(
    await Promise.all(
      [...targetIds].map(
        async (targetId) => [targetId, await waitingJob(transaction, SyncTarget, { targetId })] as const,
      ),
    ),
  )

const shown = ({ queued, listings }: Queued) => ({ queued, listings })
