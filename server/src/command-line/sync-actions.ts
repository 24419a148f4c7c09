/** What the sync commands do: call the API, show progress, and report the result. */
import type { ApiClient } from './api-client.ts'
import { CommandError } from './command-error.ts'
import type { ProgressIndicator } from './progress-indicator.ts'
import { summarizeFailures, waitUntilSettled } from './sync-follow.ts'
import {
  listListingNames,
  listStatuses,
  getStatus,
  type QueuedListings,
  type SyncStatus,
  type TargetStatus,
} from './sync-records.ts'
import { describeProof, describeStatus, describeStatuses, type Proof } from './sync-show.ts'

/** The result as JSON, as text, and whether the command succeeded. */
export type CommandResult = [facts: object, text: string, isOk: boolean]

interface ListingSelector {
  listing?: string
  target?: string
  all?: boolean
}

export async function showStatus(
  api: ApiClient,
  progress: ProgressIndicator,
  { listing, target, failed, stale }: ListingSelector & { failed?: boolean; stale?: boolean },
): Promise<CommandResult> {
  progress.showSpinner('reading')
  if (listing) {
    const state = await getStatus(api, listing)
    return [state, describeStatus(state), true]
  }
  const [targets, states, names] = await Promise.all([
    target
      ? api
          .request<{ sync_target: TargetStatus }>('GET', `/api/v1/sync/targets/${target}`)
          .then((one) => [one.sync_target])
      : api.list<TargetStatus>('/sync/targets'),
    listStatuses(api, { ...(target && { channel_target_id: target }), ...(failed && { status: 'failed' }) }),
    listListingNames(api, target),
  ])
  const selected = stale ? states.filter((state) => state.stale) : states
  const shown = selected.filter(
    (state) => state.pending_changes > 0 || state.status !== 'completed' || state.stale,
  )
  return [{ sync_targets: targets, sync_statuses: selected }, describeStatuses(targets, shown, names), true]
}

/** Requests syncs, and waits until they are settled when `wait` is set. */
export async function triggerSync(
  api: ApiClient,
  progress: ProgressIndicator,
  which: ListingSelector & { full?: boolean; failed?: boolean; wait: boolean },
): Promise<CommandResult> {
  progress.showSpinner('requesting')
  const requested = which.failed ? await retry(api, which) : await requestSync(api, progress, which)
  return await waitForResult(api, progress, requested, which.wait)
}

export async function replaySync(
  api: ApiClient,
  progress: ProgressIndicator,
  which: ListingSelector & { wait: boolean },
): Promise<CommandResult> {
  progress.showSpinner('requesting')
  return await waitForResult(api, progress, await replay(api, which), which.wait)
}

export async function showDifferences(
  api: ApiClient,
  progress: ProgressIndicator,
  { listing, from, to }: { listing: string; from?: string; to?: string },
): Promise<CommandResult> {
  progress.showSpinner('reading back')
  const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }) }).toString()
  const { proof } = await api.request<{ proof: Proof }>(
    'GET',
    `/api/v1/sync/proof/${listing}${query && `?${query}`}`,
  )
  return [proof, describeProof(proof), proof.in_sync]
}

const bodyOf = ({ listing, target }: ListingSelector) => ({
  ...(listing && { channel_listing_id: listing }),
  ...(target && { channel_target_id: target }),
})

const retry = async (api: ApiClient, which: ListingSelector) =>
  (await api.request<{ retry: QueuedListings }>('POST', '/api/v1/sync/retries', bodyOf(which))).retry

const replay = async (api: ApiClient, which: ListingSelector) =>
  (await api.request<{ replay: QueuedListings }>('POST', '/api/v1/sync/replays', bodyOf(which))).replay

async function requestSync(
  api: ApiClient,
  progress: ProgressIndicator,
  { listing, target, full }: ListingSelector & { full?: boolean },
): Promise<QueuedListings> {
  if (full && !listing) return await requestFullSync(api, progress, target)
  const ids = listing
    ? [listing]
    : (await listStatuses(api, target ? { channel_target_id: target } : {})).map(
        (one) => one.channel_listing_id,
      )
  const mode = full ? 'full' : 'delta'
  const post = (id: string) => api.request('POST', '/api/v1/sync/trigger', { channel_listing_id: id, mode })
  const requested = await forEachConcurrently(ids, progress, listing ? post : ignoreUnavailable(post))
  return {
    queued: requested.length,
    listings: requested.map((channel_listing_id) => ({ channel_listing_id })),
  }
}

/** Full syncs, target by target. */
async function requestFullSync(
  api: ApiClient,
  progress: ProgressIndicator,
  target: string | undefined,
): Promise<QueuedListings> {
  if (target) return await replay(api, { target })
  const targets = await api.list<TargetStatus>('/sync/targets')
  const ids = targets.filter(({ status }) => status !== 'inactive').map((one) => one.channel_target_id)
  const all: QueuedListings[] = []
  await forEachConcurrently(
    ids,
    progress,
    ignoreUnavailable(async (id) => void all.push(await replay(api, { target: id }))),
    'targets',
  )
  return {
    queued: all.reduce((sum, { queued }) => sum + queued, 0),
    listings: all.flatMap((one) => one.listings),
  }
}

const maxConcurrentRequests = 8

/** Returns the ids that were done; `work` resolves with false for one that was skipped. */
async function forEachConcurrently(
  ids: readonly string[],
  progress: ProgressIndicator,
  work: (id: string) => Promise<unknown>,
  name = 'listings requested',
): Promise<string[]> {
  const done: string[] = []
  const waiting = ids.values()
  const worker = async () => {
    for (const id of waiting) {
      if ((await work(id)) !== false) done.push(id)
      if (ids.length > 1) progress.showBar(done.length, ids.length, name)
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrentRequests, ids.length) }, worker))
  return done
}

/** Skips listings that are disabled or were just deleted. */
const ignoreUnavailable = (work: (id: string) => Promise<unknown>) => (id: string) =>
  work(id).catch((error: unknown) => {
    if (error instanceof CommandError && (error.exitCode === 6 || error.exitCode === 5)) return false
    throw error
  })

async function waitForResult(
  api: ApiClient,
  progress: ProgressIndicator,
  { queued, listings }: QueuedListings,
  isWanted: boolean,
): Promise<CommandResult> {
  const ids = listings.map(({ channel_listing_id }) => channel_listing_id)
  if (!isWanted || ids.length === 0)
    return [{ queued, listings }, `${countListings(queued)} requested.`, true]
  const states = await waitUntilSettled(api, ids, progress)
  const failed = states.filter(({ status }) => status === 'failed')
  const facts = { queued, completed: states.length - failed.length, failed: failed.length, listings: states }
  if (failed.length === 0) return [facts, `${countListings(states.length)} in sync.`, true]
  const names = await listListingNames(api)
  const lines = failed.map((state) => describeFailure(state, names))
  return [
    facts,
    [`${countListings(facts.completed)} in sync.`, `${summarizeFailures(failed)}.`, ...lines].join('\n'),
    false,
  ]
}

const countListings = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'listing' : 'listings'}`
const describeFailure = (
  { channel_listing_id: id, error_message }: SyncStatus,
  names: ReadonlyMap<string, string>,
) => `  ${names.get(id) ?? id}: ${error_message ?? 'unknown reason'}`
