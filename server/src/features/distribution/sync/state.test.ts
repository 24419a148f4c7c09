import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, first, type Scope, type Transaction } from '#db/scope.ts'
import { addLinkedUnit, type LinkedUnit } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { blockChanges } from '../pms-access/queries.ts'
import type { UnconfirmedRanges } from './push.ts'
import { forgetRooms } from './schedule/invalidate-availability.ts'
import { syncEvents, syncStates, transitions, type SyncEvent, type SyncState } from './state.ts'
import {
  claimDue,
  markPending,
  recordChecks,
  recordResults,
  releaseSuspended,
  requestFullSync,
  resetState,
  type AttemptResult,
  type CheckResult,
} from './state-queries.ts'

/** Every event happens to a listing in every state, and the row must then be in the state that the table names. */

const timing = { verifyAfterMs: 10_000, readBackMinutes: 15 }
const jobId = randomUUID()
let world: World
let scope: Scope
let linked: LinkedUnit
let row: { claim: string; wanted_version: number; pushed_at: string }

before(async () => {
  // Without workers nothing else writes the state.
  world = await openWorld()
  linked = await addLinkedUnit(await world.home.as('owner'))
  const { database } = world.resources
  const actor = { type: 'system', id: 'test', name: 'Test' } as const
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
})
after(() => world[Symbol.asyncDispose]())

const current = async () =>
  (await first<{ status: SyncState }>(
    scope,
    sql`select status from listing_syncs where channel_listing_id = ${linked.listingId}`,
  ))!.status

/** Brings a listing into a state by the statements of the product. */
async function putInto(state: SyncState): Promise<void> {
  const isClaimed = state === 'in_progress'
  row = (await first<typeof row>(
    scope,
    sql`update listing_syncs
      set status = ${state},
        attempts = 1,
        claim = ${isClaimed ? randomUUID() : null},
        claimed_by = ${isClaimed ? jobId : null},
        claimed_until = ${isClaimed ? sql`now() + interval '1 minute'` : null},
        job_due_at = case when ${state} = 'pending' then now() end,
        read_back_wanted = false,
        trigger = 'change',
        due_at = now() - interval '1 second',
        next_attempt_at = null,
        pushed_at = now()
      where channel_listing_id = ${linked.listingId}
      returning coalesce(claim, gen_random_uuid()) as claim, wanted_version, pushed_at::text as pushed_at`,
  ))!
}

const attempt = (more: Partial<AttemptResult>): AttemptResult => ({
  listing_id: linked.listingId,
  listing_status: 'active',
  claim: row.claim,
  wanted_version: row.wanted_version,
  result: 'accepted',
  accepted: null,
  unconfirmed_fields: [],
  unconfirmed_ranges: null,
  unconfirmed_before: null,
  refused_groups: null,
  error_code: null,
  error_message: null,
  wait_ms: null,
  evidence: 'none',
  tasks: [],
  ...more,
})
const check = (more: Partial<CheckResult>): CheckResult => ({
  listing_id: linked.listingId,
  wanted_version: row.wanted_version,
  pushed_at: row.pushed_at,
  check_at: '-infinity',
  result: 'verified',
  wait_ms: 0,
  error_code: null,
  error_message: null,
  ...more,
})

const failure = { error_code: 'network', error_message: 'The PMS could not be reached.' }
const causes: Record<SyncEvent, (transaction: Transaction) => Promise<unknown>> = {
  requested: (transaction) => markPending(transaction, { listingId: linked.listingId }, 'change', 'delta'),
  claimed: (transaction) => claimDue(transaction, linked.targetId, jobId, 60_000, 10),
  accepted: (transaction) => recordResults(transaction, [attempt({})], timing),
  overtaken: (transaction) =>
    recordResults(transaction, [attempt({ wanted_version: row.wanted_version - 1 })], timing),
  retryScheduled: (transaction) =>
    recordResults(transaction, [attempt({ result: 'retry', wait_ms: 1_000, ...failure })], timing),
  refused: (transaction) => recordResults(transaction, [attempt({ result: 'refused', ...failure })], timing),
  claimLost: (transaction) => requestFullSync(transaction, linked.targetId, [linked.listingId]),
  suspended: async (transaction) => {
    await setListingStatus(transaction, 'paused')
    await releaseSuspended(transaction, linked.targetId, jobId)
    await setListingStatus(transaction, 'active')
  },
  moved: (transaction) =>
    resetState(transaction, { id: linked.listingId, unitId: linked.unitId, targetId: linked.targetId }),
  rejectedLater: (transaction) =>
    recordChecks(transaction, [check({ result: 'rejected', ...failure })], timing),
}

const setListingStatus = (transaction: Transaction, status: string) =>
  first(
    transaction,
    sql`update channel_listings set status = ${status} where org_id = ${scope.orgId} and id = ${linked.listingId}`,
  )

suite('the state of a listing follows the table', () => {
  for (const event of Object.keys(syncEvents) as SyncEvent[])
    for (const state of syncStates) {
      const next = transitions[state][event]
      test(`${state}, ${event}: ${next ?? 'nothing happens'}`, async () => {
        await putInto(state)
        await atomically(scope, async (transaction) => {
          await blockChanges(transaction, linked.targetId)
          await causes[event](transaction)
        })
        assert.equal(await current(), next ?? state)
      })
    }
})

test('a result whose claim was lost changes nothing', async () => {
  await putInto('in_progress')
  const late = attempt({ claim: randomUUID() })
  const recorded = await atomically(scope, (transaction) => recordResults(transaction, [late], timing))
  assert.deepEqual([recorded, await current()], [[], 'in_progress'])
})

test('nights that are forgotten during an attempt stay unknown, together with those without an answer', async () => {
  const forget = (night: string) =>
    atomically(scope, (transaction) => forgetRooms(transaction, linked.listingId, { from: night, to: night }))
  const record = (more: Partial<AttemptResult>) =>
    atomically(scope, (transaction) => recordResults(transaction, [attempt(more)], timing))
  const unknown = async () =>
    (await first<{ ranges: UnconfirmedRanges | null }>(
      scope,
      sql`select unconfirmed_ranges as ranges from listing_syncs where channel_listing_id = ${linked.listingId}`,
    ))!.ranges
  await putInto('in_progress')
  await record({ unconfirmed_before: await unknown() })
  assert.equal(await unknown(), null)

  await putInto('in_progress')
  await forget('2031-05-03')
  await forget('2031-05-01')
  await record({})
  const rooms = { date_from: '2031-05-01', date_to: '2031-05-03', rooms: null, rates: [] }
  assert.deepEqual(await unknown(), rooms)

  await putInto('in_progress')
  await forget('2031-05-04')
  const run = { date_from: '2031-05-07', date_to: '2031-05-07', available: 1 }
  const unanswered = { date_from: '2031-05-06', date_to: '2031-05-07', rooms: [run], rates: [] }
  await record({
    ...failure,
    result: 'retry',
    wait_ms: 1_000,
    unconfirmed_before: rooms,
    unconfirmed_ranges: unanswered,
  })
  assert.deepEqual(await unknown(), { ...rooms, date_to: '2031-05-07', rates: null })
})

suite('a check that began before something else happened changes nothing', () => {
  const older: Record<string, () => Partial<CheckResult>> = {
    'a change': () => ({ wanted_version: row.wanted_version - 1 }),
    'a push': () => ({ pushed_at: '2020-01-01T00:00:00Z' }),
  }
  for (const [what, earlier] of Object.entries(older))
    test(what, async () => {
      await putInto('completed')
      const unverified = () =>
        first<{ unverified_since: string | null }>(
          scope,
          sql`
            update listing_syncs
            set unverified_since = coalesce(unverified_since, now())
            where channel_listing_id = ${linked.listingId}
            returning unverified_since`,
        )
      const before = await unverified()
      const recorded = await atomically(scope, (transaction) =>
        recordChecks(transaction, [check(earlier())], timing),
      )
      assert.deepEqual([recorded, await unverified()], [[], before])
    })
})
