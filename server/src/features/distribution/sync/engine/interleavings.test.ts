import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Connection } from '#db/connect.ts'
import type { Transaction } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { requeueOverdueTargets } from './schedule.ts'
import {
  atPms,
  clearPmsFaults,
  addPmsFault,
  heldReply,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { claimDue } from '#features/distribution/sync/state-queries.ts'
import { type Claim } from '#features/distribution/sync/push.ts'
import { lockTarget } from '#features/distribution/pms-access/queries.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})
afterEach(() => clearPmsFaults(world))

const run = (statement: Statement) => database.pipelined({ orgId: null }, [statement])

/** A linked unit that the PMS has. */
async function delivered(config: object = {}): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner, config)
  await reaches(linked, 'completed')
  return linked
}

const reaches = (linked: LinkedUnit, status: string) =>
  until(
    () => statusOf(owner, linked),
    // What was delivered has been read back as well, so that a fault strikes nothing but the next push.
    (seen) => seen.status === status && (seen.in_sync || status !== 'completed'),
  )

const priceAtPms = async (linked: LinkedUnit) => (await atPms(world, linked))?.['base_price_cents']

/** Simulates a worker that died together with its job: the scheduler finds the listing. */
async function abandon({ listingId, targetId }: LinkedUnit) {
  await run(
    sql`update target_syncs set claimed_until = now() - interval '1 minute' where channel_target_id = ${targetId}`,
  )
  await run(sql`update listing_syncs set claimed_until = now() - interval '1 minute', due_at = now() - interval '1 minute'
    where channel_listing_id = ${listingId}`)
  // The scheduler of the workers may be faster.
  await requeueOverdueTargets(world.resources)
}

const replaceListing = async ({ unitId, targetId, listingId }: LinkedUnit, more: object) => {
  const whole = { unit_id: unitId, channel_target_id: targetId, ...more }
  const reply = await owner.put(`/api/v1/channel-listings/${listingId}`, whole)
  assert.equal(reply.status, 200, reply.text)
}

suite('interleavings: no change is lost', () => {
  test('a change that is reverted after a lost response is reverted at the PMS too', async () => {
    const linked = await delivered()
    await addPmsFault(world, linked, { mode: 'lose_reply', times: 1 })
    await setPrice(owner, linked, 25_000)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.next_attempt_at !== null,
    )
    assert.equal(await priceAtPms(linked), 25_000)
    await setPrice(owner, linked, 10_000)
    await run(sql`update listing_syncs set due_at = now() - interval '1 minute', next_attempt_at = null
      where channel_listing_id = ${linked.listingId}`)
    await requeueOverdueTargets(world.resources)
    await reaches(linked, 'completed')
    assert.equal(await priceAtPms(linked), 10_000)
  })

  test('an interrupted full push is full again', async () => {
    const linked = await delivered()
    const property = `new-${linked.externalId}`
    await addPmsFault(world, linked, { mode: 'hang', property, times: 1 })
    const config = { property_ref: property }
    await owner.put(`/api/v1/channel-targets/${linked.targetId}`, {
      channel_type: 'pms',
      name: 'Moved',
      config,
    })
    await reaches(linked, 'in_progress')
    await abandon(linked)
    await reaches(linked, 'completed')
    assert.equal(await priceAtPms({ ...linked, targetId: property }), 10_000)
  })

  test('a listing that is moved and paused during a push is pushed to its new target when it is resumed', async () => {
    const linked = await delivered()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 21_000)
    await reaches(linked, 'in_progress')
    const external_id = `${linked.externalId}-new`
    await replaceListing(linked, { external_id, status: 'paused' })
    await clearPmsFaults(world)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.status !== 'in_progress',
    )
    await replaceListing(linked, { external_id, status: 'active' })
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.in_sync && seen.status === 'completed',
    )
    assert.equal(await priceAtPms({ ...linked, externalId: external_id }), 21_000)
  })

  test('changes of a paused listing are pushed when it is resumed', async () => {
    const linked = await delivered()
    const { externalId: external_id } = linked
    await world.withoutWorkers(async () => {
      await setPrice(owner, linked, 22_000)
      await replaceListing(linked, { external_id, status: 'paused' })
    })
    await world.settled()
    assert.equal((await statusOf(owner, linked)).status, 'pending')
    await replaceListing(linked, { external_id, status: 'active' })
    await world.settled()
    assert.equal(await priceAtPms(linked), 22_000)
  })

  test('a job that waits for an obsolete retry does not delay a later change', async () => {
    const linked = await delivered()
    await addPmsFault(world, linked, { mode: 'refuse', status: 429, retry_after: 300, times: 1 })
    await setPrice(owner, linked, 23_000)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.next_attempt_at !== null,
    )
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    await reaches(linked, 'completed')
    await setPrice(owner, linked, 24_000)
    await world.settled()
    assert.equal(await priceAtPms(linked), 24_000)
  })

  test('an attempt that arrives after a newer one does not have the last word', async () => {
    const linked = await delivered()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 31_000)
    await reaches(linked, 'in_progress')
    await setPrice(owner, linked, 32_000)
    await abandon(linked)
    await until(
      () => priceAtPms(linked),
      (seen) => seen === 32_000,
    )
    await clearPmsFaults(world)
    await until(
      () => historyOf(owner, linked),
      (seen) => seen.some(({ action }) => action === 'sync.superseded'),
    )
    await reaches(linked, 'completed')
    assert.equal(await priceAtPms(linked), 32_000)
  })
})

suite('interleavings: scheduler', () => {
  test('skips suspended listings, and ends their dead attempts', async () => {
    const linked = await delivered()
    const { externalId: external_id } = linked
    await replaceListing(linked, { external_id, status: 'paused' })
    await run(sql`update listing_syncs set status = 'in_progress', claim = gen_random_uuid(), due_at = now() - interval '1 hour',
      claimed_until = now() - interval '1 hour' where channel_listing_id = ${linked.listingId}`)
    await requeueOverdueTargets(world.resources)
    await reaches(linked, 'pending')
    assert.equal(await requeueOverdueTargets(world.resources), 0)
  })
})

suite('interleavings: a claim waits for an uncommitted change', () => {
  /** Begins a claim while the rows are held by another transaction, which then commits. */
  async function claimDuring(linked: LinkedUnit, change: (connection: Connection) => Promise<unknown>) {
    const settings = { orgId: world.home.id }
    let claiming!: Promise<Claim[]>
    await database.transaction(settings, async (holder) => {
      await holder.run(sql`select pg_advisory_xact_lock_shared(target_lock(${linked.targetId}))`)
      await change(holder)
      claiming = world.resources.database.transaction(settings, async (connection) => {
        const transaction = {
          connection,
          database: world.resources.database,
          orgId: world.home.id,
        } as Transaction
        const jobId = randomUUID()
        await lockTarget(transaction, linked.targetId, jobId)
        return await claimDue(transaction, linked.targetId, jobId, 1_000, 10)
      })
      await Promise.race([
        claiming,
        until(
          () => holder.run(sql`select 1 from pg_locks where not granted`),
          (waiting) => waiting.length > 0,
        ),
      ])
    })
    return (await claiming)[0]
  }

  test('and uses the target that the listing has moved to', async () => {
    const linked = await delivered()
    const claim = await claimDuring(linked, async (holder) => {
      await holder.run(
        sql`update channel_listings set external_id = 'elsewhere' where id = ${linked.listingId}`,
      )
      await holder.run(sql`update listing_syncs set status = 'pending', due_at = now() - interval '1 second'
        where channel_listing_id = ${linked.listingId}`)
    })
    assert.equal(claim?.external_id, 'elsewhere')
  })

  test('also when nothing was requested before it', async () => {
    const linked = await delivered()
    const claim = await claimDuring(linked, (holder) =>
      holder.run(sql`update listing_syncs set status = 'pending', due_at = now() - interval '1 second'
        where channel_listing_id = ${linked.listingId}`),
    )
    assert.ok(claim)
  })
})
