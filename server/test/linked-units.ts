import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply, TestCaller } from './caller.ts'
import type { World } from './world.ts'

/** A unit in a space of its own, linked to a target of its own. */
export interface LinkedUnit {
  spaceId: string
  unitId: string
  targetId: string
  listingId: string
  externalId: string
}

let number = 0

/** A debounce for tests that wait for each push, and do not check which changes are sent together. */
export const shortDebounce = { debounce_ms: 200 }

/** The configuration of a target whose PMS limits no calls. */
export const unlimitedCalls = { rate_limit: { requests: 1_000, window_seconds: 1 } }

export async function addLinkedUnit(
  owner: TestCaller,
  config: object = {},
  space: object = {},
): Promise<LinkedUnit> {
  const externalId = `RT-${++number}`
  const spaceId = idOf(await owner.post('/api/v1/spaces', { name: `Space ${number}`, ...space }), 'space')
  const unitId = idOf(
    await owner.post('/api/v1/units', {
      space_id: spaceId,
      name: `Unit ${number}`,
      base_price_cents: 10_000,
    }),
    'unit',
  )
  const targetId = idOf(
    await owner.post('/api/v1/channel-targets', {
      channel_type: 'pms',
      name: `Target ${number}`,
      config,
    }),
    'channel_target',
  )
  const listing = { unit_id: unitId, channel_target_id: targetId, external_id: externalId }
  const listingId = idOf(await owner.post('/api/v1/channel-listings', listing), 'channel_listing')
  return { spaceId, unitId, targetId, listingId, externalId }
}

function idOf(reply: Reply, name: string): string {
  assert.equal(reply.status, 201, reply.text)
  return (reply.body as Record<string, { id: string }>)[name]!.id
}

export const setPrice = async (owner: TestCaller, { unitId }: LinkedUnit, base_price_cents: number) => {
  const reply = await owner.patch(`/api/v1/units/${unitId}`, { base_price_cents })
  assert.equal(reply.status, 200, reply.text)
}

export const statusOf = async (owner: TestCaller, { listingId }: Pick<LinkedUnit, 'listingId'>) =>
  (await owner.get(`/api/v1/sync/status/${listingId}`)).body as {
    status: string
    attempts: number
    error_message: string | null
    next_attempt_at: string | null
    in_sync: boolean
    pending_changes: number
    last_synced_at: string | null
    verification: 'pending' | 'verified' | null
    unverified_since: string | null
    verified_at: string | null
  }

/**
 * Waits until the PMS shows what is decided. What failed, or waits to be tried again, is tried now, as an operator would;
 * the rest is left alone.
 */
export async function untilInSync(
  world: World,
  owner: TestCaller,
  listings: readonly Pick<LinkedUnit, 'listingId'>[],
  seconds = 60,
): Promise<void> {
  const statuses = () => Promise.all(listings.map((listing) => statusOf(owner, listing)))
  await world.settled()
  for (const [at, { status, next_attempt_at }] of (await statuses()).entries())
    if (status === 'failed' || next_attempt_at !== null) {
      const channel_listing_id = listings[at]!.listingId
      assert.equal((await owner.post('/api/v1/sync/trigger', { channel_listing_id })).status, 201)
    }
  await until(
    statuses,
    (all) => all.every(({ status, in_sync }) => status === 'completed' && in_sync),
    seconds,
  )
}

/** The history of one listing, oldest first. */
export const historyOf = async (owner: TestCaller, { listingId }: Pick<LinkedUnit, 'listingId'>) =>
  (await owner.get(`/api/v1/sync/audit?channel_listing_id=${listingId}&limit=100`)).body.audit.reverse() as {
    action: string
    attempt: number
    actor: { type: string; name: string }
    changes: { field: string; before: unknown; after: unknown }[]
    request: { method: string; path: string; payload_hash: string } | null
    response: { http_status: number; request_id: string; summary: string } | null
    error: { code: string; message: string; retryable: boolean; hint: string } | null
    duration_ms: number | null
    trace_id: string
    trigger: string
  }[]

type AtPms = Pick<LinkedUnit, 'targetId' | 'externalId'>
const unitUrl = ({ pms }: World, { targetId, externalId }: AtPms) =>
  `${pms.url}/properties/${targetId}/units/${externalId}`

/** The unit at the sandbox PMS. */
export async function atPms(world: World, unit: AtPms) {
  const response = await fetch(unitUrl(world, unit))
  return ((await response.json()) as { unit?: Record<string, unknown> }).unit
}

/** Changes a unit at the sandbox PMS, as a user of the PMS would. */
export async function changeAtPms(world: World, unit: AtPms, fields: object): Promise<void> {
  const response = await fetch(unitUrl(world, unit), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  assert.ok(response.ok, await response.text())
}

export interface PmsCall {
  method: string
  status: number | null
  idempotency_key: string
  traceparent: string
  body: Record<string, unknown>
}

/** The calls of the sandbox PMS that changed a unit. */
export async function callsFor({ pms }: World, { targetId, externalId }: LinkedUnit): Promise<PmsCall[]> {
  const response = (await (await fetch(`${pms.url}/_control/calls`)).json()) as {
    calls: (PmsCall & { property: string; external_id: string })[]
  }
  return response.calls.filter(
    (call) => call.method !== 'GET' && call.property === targetId && call.external_id === externalId,
  )
}

/** The next reply comes when the faults are cleared, or before the wait for a PMS ends. */
export const heldReply = { mode: 'slow', delay_ms: 9_000, times: 1 }

/** Adds a fault of the sandbox PMS for one unit. */
export async function addPmsFault(
  { pms }: World,
  { targetId, externalId }: LinkedUnit,
  fault: object,
): Promise<void> {
  const response = await fetch(`${pms.url}/_control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ property: targetId, external_id: externalId, ...fault }),
  })
  assert.ok(response.ok, await response.text())
}

/** Removes the faults of one property, or all. */
export const clearPmsFaults = async ({ pms }: World, property?: string) =>
  void (await fetch(`${pms.url}/_control/faults${property ? `?property=${property}` : ''}`, {
    method: 'DELETE',
  }))

/**
 * Reads a value until the condition is true, less often the longer it takes: reading takes processor time from what is
 * waited for. Fails with the last value.
 */
export async function until<T>(
  read: () => Promise<T>,
  condition: (value: T) => boolean,
  seconds = 60,
): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    const seen = await read()
    if (condition(seen)) return seen
    const waited = performance.now() - startedAt
    assert.ok(waited < seconds * 1_000, `still ${JSON.stringify(seen)} after ${seconds} s`)
    await sleep(Math.min(Math.max(25, waited / 10), 250))
  }
}
