import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { requeueOverdueTargets } from './schedule.ts'
import {
  atPms,
  callsFor,
  heldReply,
  clearPmsFaults,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { retryInMs } from '#features/distribution/sync/state.ts'

const { world, owner } = shareWorld({ workers: true })

afterEach(() => clearPmsFaults(world))

/** A linked unit that exists at the PMS, with a fault for its next calls. */
async function disturbed(fault: object, config: object = {}): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner, config)
  await until(
    () => statusOf(owner, linked),
    ({ status, in_sync }) => status === 'completed' && in_sync,
  )
  await addPmsFault(world, linked, fault)
  await setPrice(owner, linked, 25_000)
  return linked
}

const listingOf = async ({ listingId }: LinkedUnit) =>
  (await owner.get(`/api/v1/channel-listings/${listingId}`)).body.channel_listing

suite('sync failures: refusals are not retried', () => {
  for (const [status, code, words] of [
    [400, 'validation_rejected', /refused the values/],
    [404, 'mapping_not_found', /does not know/],
    [409, 'conflict', /conflict/],
    [422, 'validation_rejected', /refused the values/],
  ] as const)
    test(`${status} puts the listing in error at once, with a message and a hint`, async () => {
      const linked = await disturbed({ mode: 'refuse', status })
      const failed = await until(
        () => statusOf(owner, linked),
        (seen) => seen.status === 'failed',
      )
      assert.equal(failed.attempts, 1)
      assert.match(failed.error_message ?? '', words)
      const listing = await listingOf(linked)
      assert.deepEqual([listing.status, listing.error_message], ['error', failed.error_message])
      const last = (await historyOf(owner, linked)).at(-1)!
      assert.equal(last.action, 'sync.failed')
      assert.deepEqual([last.error?.code, last.error?.retryable], [code, false])
      assert.ok(last.error?.hint)
      assert.equal(last.response?.http_status, status)

      await clearPmsFaults(world)
      await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
      const recovered = await until(
        () => statusOf(owner, linked),
        (seen) => seen.status === 'completed' && seen.in_sync,
      )
      assert.deepEqual([recovered.error_message, recovered.in_sync], [null, true])
      assert.equal((await listingOf(linked)).status, 'active')
      assert.equal((await atPms(world, linked))?.['base_price_cents'], 25_000)
    })

  test('rejected credentials also put the target in error', async () => {
    const linked = await addLinkedUnit(owner, { credentials: { api_key: 'invalid-key' } })
    const failed = await until(
      () => statusOf(owner, linked),
      (seen) => seen.status === 'failed',
    )
    assert.match(failed.error_message ?? '', /credentials/)
    const place = `/api/v1/channel-targets/${linked.targetId}`
    const target = await until(
      () => owner.get(place),
      ({ body }) => body.channel_target.status === 'error',
    )
    assert.match(target.body.channel_target.error_message, /credentials/)
    const config = { credentials: { api_key: 'a-better-key' } }
    await owner.put(place, { channel_type: 'pms', name: 'Repaired', config })
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.status === 'completed',
    )
    await until(
      () => owner.get(place),
      ({ body }) => body.channel_target.status === 'active',
    )
    assert.ok(!JSON.stringify(await historyOf(owner, linked)).includes('invalid-key'))
  })
})

suite('sync failures: temporary failures are retried', () => {
  for (const [name, fault, code, config] of [
    ['a server error', { mode: 'refuse', status: 503 }, 'pms_unavailable', {}],
    ['a closed door', { mode: 'down' }, 'network', {}],
    ['a silence', { mode: 'hang' }, 'timeout', { timeout_ms: 1_000 }],
    ['nonsense', { mode: 'garbage' }, 'pms_unavailable', {}],
    ['nonsense in the right form', { mode: 'garbage', code: 'shape' }, 'pms_unavailable', {}],
    ['too many calls', { mode: 'refuse', status: 429, retry_after: 40 }, 'rate_limited', {}],
  ] as const)
    test(`${name}: the listing waits with the reason, and a manual request does not`, async () => {
      const linked = await disturbed(fault, config)
      const waiting = await until(
        () => statusOf(owner, linked),
        (seen) => seen.next_attempt_at !== null,
      )
      assert.deepEqual([waiting.status, waiting.in_sync], ['pending', false])
      assert.ok(waiting.error_message)
      const history = await historyOf(owner, linked)
      // The next attempt may begin meanwhile.
      const last = history.findLast(({ action }) => action !== 'sync.started')!
      assert.deepEqual(
        [last.action, last.error?.code, last.error?.retryable],
        ['sync.retry_scheduled', code, true],
      )
      if (code === 'rate_limited') {
        const waitMs = Date.parse(waiting.next_attempt_at!) - Date.now()
        assert.ok(waitMs > 10_000 && waitMs <= 40_000, `waits ${waitMs} ms`)
      }
      await clearPmsFaults(world)
      await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
      await until(
        () => statusOf(owner, linked),
        (seen) => seen.status === 'completed',
      )
      assert.equal((await atPms(world, linked))?.['base_price_cents'], 25_000)
    })

  test('a lost response has one effect after any number of attempts', async () => {
    const linked = await disturbed({ mode: 'lose_reply', times: 1 })
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.next_attempt_at !== null,
    )
    const { revision } = (await atPms(world, linked)) as { revision: number }
    await makeDue(linked)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.status === 'completed',
    )
    const unit = await atPms(world, linked)
    assert.deepEqual([unit?.['base_price_cents'], unit?.['revision']], [25_000, revision])
    const [first, second] = (await callsFor(world, linked)).slice(-2)
    assert.equal(first?.idempotency_key, second?.idempotency_key)
  })

  test('after five attempts the listing is in error', async () => {
    const linked = await disturbed({ mode: 'refuse', status: 503 })
    for (const attempt of [1, 2, 3, 4]) {
      await until(
        () => statusOf(owner, linked),
        // One whose wait is short may have begun by itself.
        (seen) => seen.status === 'failed' || (seen.attempts >= attempt && seen.next_attempt_at !== null),
      )
      await makeDue(linked)
    }
    const failed = await until(
      () => statusOf(owner, linked),
      (seen) => seen.status === 'failed',
    )
    assert.deepEqual([failed.attempts, failed.next_attempt_at], [5, null])
    assert.equal((await listingOf(linked)).status, 'error')
    const attempts = (await historyOf(owner, linked)).filter(
      ({ action }) => action === 'sync.retry_scheduled',
    )
    assert.equal(attempts.length, 4)
  })

  test('sends a change during the wait with the next attempt, not before', async () => {
    const linked = await disturbed({ mode: 'refuse', status: 503 })
    const read = () => statusOf(owner, linked)
    await until(read, (seen) => seen.next_attempt_at !== null)
    await world.withoutWorkers(async () => {
      const waiting = await read()
      await setPrice(owner, linked, 26_000)
      const still = await read()
      assert.deepEqual([still.next_attempt_at, still.attempts], [waiting.next_attempt_at, waiting.attempts])
    })
    await clearPmsFaults(world)
    await makeDue(linked)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.in_sync,
    )
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 26_000)
  })
})

suite('sync failures: a running attempt', () => {
  test('does not delay a manual request made meanwhile', async () => {
    const refusal = { mode: 'refuse', status: 429, retry_after: 300 }
    const linked = await disturbed({ ...heldReply, ...refusal })
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.status === 'in_progress',
    )
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    await clearPmsFaults(world)
    await until(
      () => statusOf(owner, linked),
      (seen) => seen.in_sync,
    )
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 25_000)
  })
})

suite('sync failures: delays', () => {
  test('longer after each attempt, with full jitter, and never before the PMS asks', () => {
    const waits = [1, 2, 3, 4].map((attempt) => retryInMs(attempt, 0, 1))
    assert.deepEqual(waits, [10_000, 30_000, 120_000, 600_000])
    assert.equal(retryInMs(3, 0, 0), 1_000)
    assert.equal(retryInMs(1, 900_000, 0.5), 900_000)
  })
})

/** Ends the wait of a listing without its job, so that the scheduler finds it. */
async function makeDue({ listingId }: LinkedUnit): Promise<void> {
  const database = openOwner(world.databaseUrl)
  try {
    await database.pipelined({ orgId: null }, [
      sql`update listing_syncs set due_at = now() - interval '1 minute', next_attempt_at = null
        where channel_listing_id = ${listingId}`,
    ])
  } finally {
    await database.close()
  }
  // The scheduler of the workers may be faster.
  await requeueOverdueTargets(world.resources)
}
