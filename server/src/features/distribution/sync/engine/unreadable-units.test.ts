import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { addLinkedUnit, addPmsFault, clearPmsFaults, historyOf, statusOf } from '#test/linked-units.ts'
import type { LinkedUnit } from '#test/linked-units.ts'
import type { TestCaller } from '#test/caller.ts'
import { addListing, addUnit } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'
import { verifyDueTargets } from './schedule.ts'

let world: World
let owner: TestCaller
before(async () => {
  // Nothing is read back by itself.
  world = await openWorld({ workers: true, env: { SYNC_VERIFY_AFTER_MS: '600000' } })
  owner = await world.home.as('owner')
})
afterEach(() => clearPmsFaults(world))
after(() => world[Symbol.asyncDispose]())

/** Two units of one target: the first cannot be read at the PMS, the other can. */
async function linkTwo(status: number): Promise<[bad: LinkedUnit, good: LinkedUnit]> {
  const bad = await addLinkedUnit(owner)
  const { id: unitId } = await addUnit(owner, { space_id: bad.spaceId })
  const externalId = `${bad.externalId}-2`
  const listing = { unit_id: unitId, channel_target_id: bad.targetId, external_id: externalId }
  const { id: listingId } = await addListing(owner, listing)
  await world.settled()
  await addPmsFault(world, bad, { mode: 'refuse', status, method: 'GET' })
  return [bad, { ...bad, unitId, externalId, listingId }]
}

/** Reads back all listings of the target. */
async function verify({ targetId }: LinkedUnit): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: world.home.id }, [
    sql`update target_syncs set check_job_at = null where channel_target_id = ${targetId}::uuid`,
    sql`update listing_syncs set check_at = now() - interval '1 minute' where channel_target_id = ${targetId}::uuid`,
  ])
  await database.close()
  // The workers' own upkeep may have been faster.
  await verifyDueTargets({ database: world.resources.database })
  await world.settled()
}

const verificationOf = async (unit: LinkedUnit) => (await statusOf(owner, unit)).verification

suite('a unit that the PMS does not show', () => {
  for (const [status, code] of [
    [409, 'conflict'],
    [500, 'pms_unavailable'],
  ] as const)
    test(`${status}: is reported, and the others are verified`, async () => {
      const [bad, good] = await linkTwo(status)
      await verify(bad)
      const failed = (await historyOf(owner, bad)).at(-1)!
      assert.deepEqual([await verificationOf(good), failed.error?.code], ['verified', code])
    })
})
