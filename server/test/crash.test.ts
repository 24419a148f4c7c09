import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import {
  atPms,
  callsFor,
  clearPmsFaults,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from './linked-units.ts'
import { expireHeartbeats, startWorkerProcess } from './test-process.ts'
import { shareWorld } from './share-world.ts'

const secretKeys = `test:${randomBytes(32).toString('base64')}`
const { world, owner } = shareWorld({ env: { SECRET_KEYS: secretKeys } })

const startWorker = () => startWorkerProcess(world, secretKeys)

suite('a killed worker', () => {
  test('during a push, twice: the job runs again, and the PMS gets the right value', async () => {
    await using first = await startWorker()
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
    )
    await addPmsFault(world, linked, { mode: 'hang' })
    await setPrice(owner, linked, 41_000)
    const calls = (await callsFor(world, linked)).length
    await until(
      () => callsFor(world, linked),
      (seen) => seen.length > calls - 1 && seen.at(-1)?.status === null,
    )
    await first.kill('SIGKILL')
    assert.equal((await statusOf(owner, linked)).status, 'in_progress')
    await expireHeartbeats(world)

    await using second = await startWorker()
    await until(
      () => statusOf(owner, linked),
      ({ attempts }) => attempts === 2,
    )
    await until(
      () => callsFor(world, linked),
      (seen) => seen.filter(({ status }) => status === null).length >= 2,
    )
    await second.kill('SIGKILL')
    await expireHeartbeats(world)

    await clearPmsFaults(world)
    await using third = await startWorker()
    const done = await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
      60,
    )
    assert.deepEqual([done.in_sync, done.attempts], [true, 3])
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 41_000)
    const started = (await historyOf(owner, linked)).filter(({ action }) => action === 'sync.started')
    assert.deepEqual(
      started.slice(-3).map(({ attempt }) => attempt),
      [1, 2, 3],
    )
    await third.kill('SIGTERM')
  })

  test('pushes a change that was made while no worker ran', async () => {
    const linked = await addLinkedUnit(owner)
    await setPrice(owner, linked, 42_000)
    assert.equal((await statusOf(owner, linked)).status, 'pending')
    await using _worker = await startWorker()
    await until(
      () => statusOf(owner, linked),
      ({ in_sync }) => in_sync,
    )
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 42_000)
  })

  test('completes a running push after SIGTERM', async () => {
    await using worker = await startWorker()
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ status, in_sync }) => status === 'completed' && in_sync,
    )
    await addPmsFault(world, linked, { mode: 'slow', delay_ms: 2_500, times: 1 })
    await setPrice(owner, linked, 43_000)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    assert.equal(await worker.kill('SIGTERM'), 0)
    const status = await statusOf(owner, linked)
    // No worker is left to read it back.
    assert.deepEqual(
      [status.status, status.pending_changes, status.verification],
      ['completed', 0, 'pending'],
    )
  })
})

suite('two workers', () => {
  test('never push one listing concurrently, and never an older value after a newer one', async () => {
    await using _one = await startWorker()
    await using _two = await startWorker()
    const linked = await Promise.all([1, 2, 3, 4].map(() => addLinkedUnit(owner, { debounce_ms: 0 })))
    for (const one of linked) await addPmsFault(world, one, { mode: 'slow', delay_ms: 30 })
    for (let round = 1; round <= 15; round++)
      await Promise.all(linked.map((one) => setPrice(owner, one, 50_000 + round)))
    await Promise.all(
      linked.map((one) =>
        until(
          () => statusOf(owner, one),
          ({ in_sync }) => in_sync,
        ),
      ),
    )
    for (const one of linked) {
      const prices = (await callsFor(world, one)).map(({ body }) => Number(body['base_price_cents']))
      assert.deepEqual(
        prices,
        prices.toSorted((a, b) => a - b),
      )
      assert.equal((await atPms(world, one))?.['base_price_cents'], 50_015)
      const spans = (await historyOf(owner, one)).filter(({ action }) => action.startsWith('sync.'))
      assert.ok(spans.length >= 4)
      // Started and ended take turns: no attempt begins before the one before it has ended.
      assert.deepEqual(
        spans.map(({ action }) => action === 'sync.started'),
        spans.map((_, at) => at % 2 === 0),
      )
    }
  })
})
