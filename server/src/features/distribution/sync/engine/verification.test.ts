import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { verifyDueTargets } from './schedule.ts'
import { atomically } from '#db/scope.ts'
import { requestCheck } from '#features/distribution/sync/schedule/request-sync.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import {
  atPms,
  clearPmsFaults,
  callsFor,
  heldReply,
  historyOf,
  addLinkedUnit,
  changeAtPms,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import type { LinkedUnit } from '#test/linked-units.ts'
import type { TestCaller } from '#test/caller.ts'
import { systemScope } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller
before(async () => {
  // Nothing is read back by itself: each test says when.
  world = await openWorld({ workers: true, env: { SYNC_VERIFY_AFTER_MS: '600000' } })
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

const change = async (statement: ReturnType<typeof sql>) => {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: world.home.id }, [statement])
  await database.close()
}

/** Makes a listing due, and runs the scheduler. */
async function becomeDue({ listingId, targetId }: LinkedUnit): Promise<void> {
  await change(sql`update target_syncs set check_job_at = null where channel_target_id = ${targetId}::uuid`)
  await change(sql`update listing_syncs set check_at = now() - interval '1 minute'
    where channel_listing_id = ${listingId}::uuid`)
  const { database } = world.resources
  // The workers' own upkeep may have been faster.
  await verifyDueTargets({ database })
  await world.settled()
}

const linked = async () => {
  const unit = await addLinkedUnit(owner)
  await world.settled()
  return unit
}
const standing = async (unit: LinkedUnit) => {
  const { status, in_sync, verification } = await statusOf(owner, unit)
  return { status, in_sync, verification }
}
const verified = { status: 'completed', in_sync: true, verification: 'verified' }
const unverified = { status: 'completed', in_sync: false, verification: 'pending' }

/** How often the unit was read at the PMS. */
const readsOf = async ({ targetId }: LinkedUnit) => {
  const { calls } = (await (await fetch(`${world.pms.url}/_control/calls`)).json()) as {
    calls: { property: string; method: string; path: string }[]
  }
  return calls.filter(
    ({ property, method, path }) => property === targetId && method === 'GET' && path.includes('/units/'),
  ).length
}

const fail = (unit: LinkedUnit, fault: object) =>
  fetch(`${world.pms.url}/_control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ property: unit.targetId, method: 'GET', ...fault }),
  })

/** Does the work while the PMS is read back, and waits for the end of it. */
async function whileReadBack(unit: LinkedUnit, work: () => Promise<unknown>): Promise<void> {
  const before = await readsOf(unit)
  await fail(unit, heldReply)
  const looking = becomeDue(unit)
  await until(
    () => readsOf(unit),
    (reads) => reads > before,
  )
  await work()
  await clearPmsFaults(world)
  await looking
}

describe('accepted is not verified', () => {
  test('a push that the PMS took is pending until the PMS was read back', async () => {
    const unit = await linked()
    const { unverified_since, pending_changes, ...status } = await statusOf(owner, unit)
    assert.deepEqual(await standing(unit), unverified)
    assert.equal(pending_changes, 0)
    assert.ok(Date.parse(unverified_since!) <= Date.now())
    assert.equal(status.verified_at, null)

    await becomeDue(unit)
    assert.deepEqual(await standing(unit), verified)
    const after = await statusOf(owner, unit)
    assert.equal(after.unverified_since, null)
    assert.match(after.verified_at!, /Z$/)

    await setPrice(owner, unit, 11_100)
    await world.settled()
    assert.deepEqual(await standing(unit), unverified)
    assert.equal((await callsFor(world, unit)).length, 2, 'reading back pushes nothing')
    assert.ok((await historyOf(owner, unit)).every(({ action }) => action !== 'sync.verified'))
  })

  test('a trigger reads back at once, which verifies', async () => {
    const unit = await linked()
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: unit.listingId })
    await world.settled()
    assert.deepEqual(await standing(unit), verified)
  })

  test('a value that the PMS does not show is not in sync, and is pushed again later', async () => {
    const unit = await linked()
    await changeAtPms(world, unit, { base_price_cents: 1 })
    for (let look = 1; look <= 4; look++) {
      await becomeDue(unit)
      assert.deepEqual(await standing(unit), unverified, `after look ${look}`)
      assert.equal((await atPms(world, unit))?.['base_price_cents'], 1, 'it may apply late')
    }
    await becomeDue(unit)
    assert.equal((await atPms(world, unit))?.['base_price_cents'], 10_000)
    assert.deepEqual(await standing(unit), unverified, 'the repair is not verified either')
    const last = (await historyOf(owner, unit)).at(-1)!
    assert.deepEqual([last.action, last.trigger], ['sync.repaired', 'reconcile'])
    await becomeDue(unit)
    assert.deepEqual(await standing(unit), verified)
  })

  const alertsOf = async ({ listingId }: LinkedUnit) => {
    const { body } = await owner.get(
      `/api/v1/alerts?kind=drift.found&channel_listing_id=${listingId}&status=open`,
    )
    return body.alerts.length as number
  }

  for (const [ending, work] of [
    ['a read-back', () => Promise.resolve()],
    ['a change', (unit: LinkedUnit) => setPrice(owner, unit, 13_300)],
    [
      'a trigger',
      (unit: LinkedUnit) => owner.post('/api/v1/sync/trigger', { channel_listing_id: unit.listingId }),
    ],
  ] as const)
    test(`a PMS that never shows accepted values is reported once, until ${ending} shows them`, async () => {
      const unit = await linked()
      for (let look = 1; look <= 6; look++) {
        await changeAtPms(world, unit, { base_price_cents: 1 })
        await becomeDue(unit)
      }
      assert.equal(await alertsOf(unit), 1)
      assert.equal((await standing(unit)).in_sync, false)
      await work(unit)
      await world.settled()
      await becomeDue(unit)
      assert.deepEqual([await alertsOf(unit), await standing(unit)], [0, verified])
    })

  test('an unavailable PMS verifies nothing and fails nothing', async () => {
    const unit = await linked()
    await fail(unit, { mode: 'refuse', status: 503 })
    await becomeDue(unit)
    assert.deepEqual(await standing(unit), unverified)
    await clearPmsFaults(world)
    await becomeDue(unit)
    assert.deepEqual(await standing(unit), verified)
  })

  test('a change while the PMS is read back makes that look void', async () => {
    const unit = await linked()
    await whileReadBack(unit, () => setPrice(owner, unit, 12_200))
    assert.deepEqual(await standing(unit), unverified)
    assert.equal((await atPms(world, unit))?.['base_price_cents'], 12_200)
  })

  test('a read-back that is requested while the PMS is read back follows', async () => {
    const unit = await linked()
    const before = await readsOf(unit)
    await whileReadBack(unit, () =>
      atomically(systemScope(world, world.home), (transaction) =>
        requestCheck(transaction, unit.targetId, 'all'),
      ),
    )
    assert.equal(await readsOf(unit), before + 2)
    assert.deepEqual(await standing(unit), verified)
  })

  test('a notice of the PMS during a read-back by a trigger causes another one', async () => {
    const unit = await linked()
    await becomeDue(unit)
    const before = await readsOf(unit)
    await fail(unit, heldReply)
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: unit.listingId })
    await until(
      () => readsOf(unit),
      (reads) => reads > before,
    )
    await atomically(systemScope(world, world.home), (transaction) =>
      requestCheck(transaction, unit.targetId, 'all'),
    )
    await clearPmsFaults(world)
    await world.settled()
    assert.equal(await readsOf(unit), before + 2)
    assert.deepEqual(await standing(unit), verified)
  })
})

describe('drift is looked for all the time', () => {
  test('an idle listing is read back regularly, and changes at the PMS are repaired', async () => {
    const unit = await linked()
    await becomeDue(unit)
    assert.deepEqual(await standing(unit), verified)
    await changeAtPms(world, unit, { base_price_cents: 2 })
    for (let look = 1; look <= 5; look++) await becomeDue(unit)
    assert.equal((await atPms(world, unit))?.['base_price_cents'], 10_000)
  })
})
