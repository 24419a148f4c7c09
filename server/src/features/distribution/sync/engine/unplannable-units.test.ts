import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import {
  addLinkedUnit,
  atPms,
  historyOf,
  setPrice,
  shortDebounce,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { addListing, addUnit } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { verifyDueTargets } from './schedule.ts'

const { world, owner } = shareWorld({ workers: true })

/** Two units of one target, which the PMS has. The stored values of the first cannot be read. */
async function linkTwo(): Promise<[bad: LinkedUnit, good: LinkedUnit]> {
  const bad = await addLinkedUnit(owner, shortDebounce)
  const { id: unitId } = await addUnit(owner, { space_id: bad.spaceId })
  const externalId = `${bad.externalId}-2`
  const listing = { unit_id: unitId, channel_target_id: bad.targetId, external_id: externalId }
  const { id: listingId } = await addListing(owner, listing)
  await world.settled()
  await runSql(
    world,
    sql`update accepted_months set nights = 'null' where channel_listing_id = ${bad.listingId}`,
  )
  return [bad, { ...bad, unitId, externalId, listingId }]
}

const priceAtPms = async (unit: LinkedUnit) => (await atPms(world, unit))?.['base_price_cents']
const failing = (unit: LinkedUnit) =>
  until(
    () => statusOf(owner, unit),
    ({ next_attempt_at }) => next_attempt_at !== null,
  )

suite('a unit whose push cannot be planned', () => {
  test('waits for a retry with the reason, while the others are pushed, and recovers', async () => {
    const [bad, good] = await linkTwo()
    await setPrice(owner, bad, 21_000)
    await setPrice(owner, good, 22_000)
    await until(
      () => priceAtPms(good),
      (price) => price === 22_000,
    )
    const failed = await failing(bad)
    assert.deepEqual([failed.status, failed.in_sync], ['pending', false])
    assert.ok(failed.error_message)
    const attempt = (await historyOf(owner, bad)).find(({ error }) => error !== null)
    assert.deepEqual([attempt?.action, attempt?.error?.code], ['sync.retry_scheduled', 'internal'])
    assert.notEqual(await priceAtPms(bad), 21_000)

    await runSql(
      world,
      sql`update accepted_months set nights = '{"rooms": [], "plans": {}}'
      where channel_listing_id = ${bad.listingId}`,
    )
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: bad.listingId })
    await until(
      () => statusOf(owner, bad),
      ({ in_sync, error_message }) => in_sync && error_message === null,
    )
    assert.equal(await priceAtPms(bad), 21_000)
  })

  test('keeps what earlier attempts left unconfirmed', async () => {
    const [bad] = await linkTwo()
    const ranges = { date_from: '2027-01-01', date_to: '2400-01-01', rooms: null, rates: null }
    await runSql(
      world,
      sql`update listing_syncs set unconfirmed_ranges = ${JSON.stringify(ranges)}
      where channel_listing_id = ${bad.listingId}`,
    )
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: bad.listingId })
    await failing(bad)
    const [left] = await runSql(
      world,
      sql<{ unconfirmed_ranges: object }>`
      select unconfirmed_ranges from listing_syncs where channel_listing_id = ${bad.listingId}`,
    )
    assert.deepEqual(left?.unconfirmed_ranges, ranges)
  })

  test('is reported when it is due for verification, and the others are verified', async () => {
    const [bad, good] = await linkTwo()
    await runSql(
      world,
      sql`update target_syncs set check_job_at = null where channel_target_id = ${bad.targetId}`,
    )
    await runSql(
      world,
      sql`update listing_syncs set check_at = now() - interval '1 minute',
        unverified_since = now() - interval '1 minute' where channel_target_id = ${bad.targetId}`,
    )
    await verifyDueTargets({ database: world.resources.database })
    assert.ok((await failing(bad)).error_message)
    await until(
      () => statusOf(owner, good),
      ({ verification }) => verification === 'verified',
    )
  })
})
