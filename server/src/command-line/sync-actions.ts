// What the sync commands do: ask, show what is under way, and say what came of it.
import type { Api } from './call-api.ts'
import { CommandFailure } from './command-failure.ts'
import type { Meter } from './meter.ts'
import { causesOf, followUntilSettled } from './sync-follow.ts'
import {
  namesOf,
  statusesOf,
  statusOf,
  type Queued,
  type SyncStatus,
  type TargetState,
} from './sync-records.ts'
import { describeProof, describeStatus, describeStatuses, type Proof } from './sync-show.ts'

/** For a program, for a person, and whether all is well. */
export type Outcome = [facts: object, text: string, isWell: boolean]

export type Which = { listing?: string; target?: string; all?: boolean }

export async function tellStatus(
  api: Api,
  meter: Meter,
  { listing, target, failed, stale }: Which & { failed?: boolean; stale?: boolean },
): Promise<Outcome> {
  meter.spin('reading')
  if (listing) {
    const state = await statusOf(api, listing)
    return [state, describeStatus(state), true]
  }
  const [targets, states, names] = await Promise.all([
    target
      ? api
          .ask<{ sync_target: TargetState }>('GET', `/api/v1/sync/targets/${target}`)
          .then((one) => [one.sync_target])
      : api.all<TargetState>('/sync/targets', 'sync_targets'),
    statusesOf(api, { ...(target && { channel_target_id: target }), ...(failed && { status: 'failed' }) }),
    namesOf(api, target),
  ])
  const meant = stale ? states.filter((state) => state.stale) : states
  const shown = meant.filter(
    (state) => state.pending_changes > 0 || state.status !== 'completed' || state.stale,
  )
  return [{ sync_targets: targets, sync_statuses: meant }, describeStatuses(targets, shown, names), true]
}

/** Asks for syncs, and follows them to their end unless nobody wants to wait. */
export async function trigger(
  api: Api,
  meter: Meter,
  which: Which & { full?: boolean; failed?: boolean; wait: boolean },
): Promise<Outcome> {
  meter.spin('asking')
  const asked = which.failed ? await retry(api, which) : await ask(api, meter, which)
  return await wait(api, meter, asked, which.wait)
}

export async function replayAll(api: Api, meter: Meter, which: Which & { wait: boolean }): Promise<Outcome> {
  meter.spin('asking')
  return await wait(api, meter, await replay(api, which), which.wait)
}

export async function tellDifferences(
  api: Api,
  meter: Meter,
  { listing, from, to }: { listing: string; from?: string; to?: string },
): Promise<Outcome> {
  meter.spin('reading back')
  const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }) }).toString()
  const { proof } = await api.ask<{ proof: Proof }>(
    'GET',
    `/api/v1/sync/proof/${listing}${query && `?${query}`}`,
  )
  return [proof, describeProof(proof), proof.in_sync]
}

const bodyOf = ({ listing, target }: Which) => ({
  ...(listing && { channel_listing_id: listing }),
  ...(target && { channel_target_id: target }),
})

const retry = async (api: Api, which: Which) =>
  (await api.ask<{ retry: Queued }>('POST', '/api/v1/sync/retries', bodyOf(which))).retry

const replay = async (api: Api, which: Which) =>
  (await api.ask<{ replay: Queued }>('POST', '/api/v1/sync/replays', bodyOf(which))).replay

async function ask(
  api: Api,
  meter: Meter,
  { listing, target, full }: Which & { full?: boolean },
): Promise<Queued> {
  if (full && !listing) return await askWhole(api, meter, target)
  const ids = listing
    ? [listing]
    : (await statusesOf(api, target ? { channel_target_id: target } : {})).map(
        (one) => one.channel_listing_id,
      )
  const mode = full ? 'full' : 'delta'
  const post = (id: string) => api.ask('POST', '/api/v1/sync/trigger', { channel_listing_id: id, mode })
  const asked = await eachOf(ids, meter, listing ? post : unlessHeld(post))
  return { queued: asked.length, listings: asked.map((channel_listing_id) => ({ channel_listing_id })) }
}

/** Everything of each target, target by target. */
async function askWhole(api: Api, meter: Meter, target: string | undefined): Promise<Queued> {
  if (target) return await replay(api, { target })
  const targets = await api.all<TargetState>('/sync/targets', 'sync_targets')
  const ids = targets.filter(({ status }) => status !== 'inactive').map((one) => one.channel_target_id)
  const all: Queued[] = []
  await eachOf(
    ids,
    meter,
    unlessHeld(async (id) => void all.push(await replay(api, { target: id }))),
    'targets',
  )
  return {
    queued: all.reduce((sum, { queued }) => sum + queued, 0),
    listings: all.flatMap((one) => one.listings),
  }
}

const asksAtOnce = 8

/** Those of which the work was done; it answers false of one that was left out. */
async function eachOf(
  ids: readonly string[],
  meter: Meter,
  work: (id: string) => Promise<unknown>,
  name = 'listings asked for',
): Promise<string[]> {
  const done: string[] = []
  const waiting = ids.values()
  const worker = async () => {
    for (const id of waiting) {
      if ((await work(id)) !== false) done.push(id)
      if (ids.length > 1) meter.fill(done.length, ids.length, name)
    }
  }
  await Promise.all(Array.from({ length: Math.min(asksAtOnce, ids.length) }, worker))
  return done
}

/** Of many, those that are switched off or have just gone are passed over. */
const unlessHeld = (work: (id: string) => Promise<unknown>) => (id: string) =>
  work(id).catch((error: unknown) => {
    if (error instanceof CommandFailure && (error.exitCode === 6 || error.exitCode === 5)) return false
    throw error
  })

async function wait(
  api: Api,
  meter: Meter,
  { queued, listings }: Queued,
  isWanted: boolean,
): Promise<Outcome> {
  const ids = listings.map(({ channel_listing_id }) => channel_listing_id)
  if (!isWanted || ids.length === 0) return [{ queued, listings }, `${counted(queued)} asked for.`, true]
  const states = await followUntilSettled(api, ids, meter)
  const failed = states.filter(({ status }) => status === 'failed')
  const facts = { queued, completed: states.length - failed.length, failed: failed.length, listings: states }
  if (failed.length === 0) return [facts, `${counted(states.length)} in sync.`, true]
  const names = await namesOf(api)
  const lines = failed.map((state) => reasonOf(state, names))
  return [facts, [`${counted(facts.completed)} in sync.`, `${causesOf(failed)}.`, ...lines].join('\n'), false]
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'listing' : 'listings'}`
const reasonOf = (
  { channel_listing_id: id, error_message }: SyncStatus,
  names: ReadonlyMap<string, string>,
) => `  ${names.get(id) ?? id}: ${error_message ?? 'no reason was given'}`
