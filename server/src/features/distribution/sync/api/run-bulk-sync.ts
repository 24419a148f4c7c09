import { sql } from '#db/sql.ts'
import { atomically, first, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { findWaitingJob } from '#queue/job.ts'
import type { ListingSelection, SyncTrigger } from '#features/distribution/sync/state.ts'
import { probeNow } from '#features/distribution/pms-access/queries.ts'
import { requestSync, SyncTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import { maxListings, type ReplayInput, type RetryInput } from './bulk-sync.ts'
import { listListingsOfCause } from './failure-queries.ts'
import { assertPushable, targetInactive } from './statuses.ts'

/** Retries failed listings now: one, those of a target, those with a cause, or all. @throws NotFound, Conflict */
export const retryFailed = (scope: Scope, input: RetryInput) =>
  atomically(scope, async (transaction) => {
    await assertEnabled(transaction, input)
    const { channel_listing_id: listingId, channel_target_id: targetId, error_code: code } = input
    const failed = { failedWith: code ? [code] : ('anything' as const), enabledOnly: true as const }
    const retry = await requestPushes(transaction, { ...selectionOf(input), ...failed }, 'retry')
    if (listingId && targetId && retry.targetIds.some((id) => id !== targetId))
      throw new NotFound('listing of this target', listingId)
    if (listingId && retry.queued === 0)
      throw new Conflict('not-failed', `The listing has not failed${code ? ` with ${code}` : ''}.`)
    return shown(retry)
  })

/** Retries all listings that fail with one cause. @throws NotFound */
export const retryCause = (scope: Scope, id: string) =>
  atomically(scope, async (transaction) => {
    const listingIds = await listListingsOfCause(transaction, id)
    if (listingIds.length === 0) throw new NotFound('sync failure', id)
    return shown(await requestPushes(transaction, { listingIds, enabledOnly: true }, 'retry'))
  })

/** Sends one listing, or all of a target, again in full, whatever the PMS has. @throws NotFound, Conflict */
export const replay = (scope: Scope, input: ReplayInput) =>
  atomically(scope, async (transaction) => {
    await assertEnabled(transaction, input)
    return shown(
      await requestPushes(transaction, { ...selectionOf(input), enabledOnly: true }, 'manual', 'full'),
    )
  })

/** Syncs all listings of a space, and compares them with the PMS. @throws NotFound */
export const syncProperty = (scope: Scope, spaceId: string) =>
  atomically(scope, async (transaction) => {
    const skipped = await countSuspendedInSpace(transaction, spaceId)
    if (skipped === undefined) throw new NotFound('property', spaceId)
    const { queued, listings } = shown(
      await requestPushes(transaction, { spaceId, enabledOnly: true }, 'connector'),
    )
    const [first] = listings
    const status = first ? 'pending' : 'completed'
    return { job_id: first?.job_id ?? null, property_id: spaceId, status, queued, skipped, listings }
  })

function selectionOf({
  channel_listing_id: listingId,
  channel_target_id: targetId,
}: RetryInput): ListingSelection {
  if (listingId) return { listingId }
  return targetId ? { targetId } : { everything: true }
}

/** @throws NotFound, Conflict unless the listing and the target exist and may be pushed */
async function assertEnabled(transaction: Transaction, input: ReplayInput): Promise<void> {
  const { channel_listing_id: listingId, channel_target_id: targetId } = input
  if (targetId) {
    const status = await statusOfTarget(transaction, targetId)
    if (!status) throw new NotFound('channel target', targetId)
    if (status === 'inactive') throw targetInactive()
  }
  if (listingId) await assertPushable(transaction, listingId)
}

interface RequestedPushes {
  queued: number
  targetIds: readonly string[]
  listings: readonly { channel_listing_id: string; job_id: string; status: 'pending' | 'in_progress' }[]
}

async function requestPushes(
  transaction: Transaction,
  selection: ListingSelection,
  trigger: SyncTrigger,
  mode: 'delta' | 'full' = 'delta',
): Promise<RequestedPushes> {
  const requested = await requestSync(transaction, selection, trigger, mode)
  const targetIds = [...new Set(requested.map(({ channel_target_id }) => channel_target_id))]
  if (targetIds.length > 0) await probeNow(transaction, targetIds)
  const listed = requested.slice(0, maxListings)
  const jobs = await jobsOf(transaction, new Set(listed.map(({ channel_target_id }) => channel_target_id)))
  return {
    queued: requested.length,
    targetIds,
    listings: listed.map(({ channel_listing_id, channel_target_id, running_job, jobId }) => ({
      channel_listing_id,
      job_id: running_job ?? jobs.get(channel_target_id) ?? jobId,
      status: running_job ? 'in_progress' : 'pending',
    })),
  }
}

/** The waiting jobs of these targets; one may have existed before this request. */
const jobsOf = async (transaction: Transaction, targetIds: ReadonlySet<string>) =>
  new Map(
    await Promise.all(
      [...targetIds].map(
        async (targetId) => [targetId, await findWaitingJob(transaction, SyncTarget, { targetId })] as const,
      ),
    ),
  )

const shown = ({ queued, listings }: RequestedPushes) => ({ queued, listings })

const statusOfTarget = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<{ status: string }>`select status
      from channel_targets
      where org_id = ${transaction.orgId}
        and id = ${targetId}`,
  ).then((row) => row?.status)

/**
 * The number of listings of a space that are paused or belong to an inactive target; undefined when the space does
 * not exist.
 */
const countSuspendedInSpace = (transaction: Transaction, spaceId: string) =>
  first(
    transaction,
    sql<{ suspended: number }>`select (
        select count(*)::int
        from channel_listings listing
        join units unit
          on unit.org_id = listing.org_id
          and unit.id = listing.unit_id
        join channel_targets target
          on target.org_id = listing.org_id
          and target.id = listing.channel_target_id
        where listing.org_id = space.org_id
          and unit.space_id = space.id
          and (listing.status = 'paused' or target.status = 'inactive')) as suspended
      from spaces space
      where space.org_id = ${transaction.orgId}
        and space.id = ${spaceId}`,
  ).then((row) => row?.suspended)
