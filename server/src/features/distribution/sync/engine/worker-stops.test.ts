import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectWorkerQueue } from '#resources.ts'
import { startWorkers } from '#workers.ts'
import {
  atPms,
  addPmsFault,
  callsFor,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { openWorld } from '#test/world.ts'

suite('a worker that is asked to stop', () => {
  test('releases its push; the next worker repeats it at once, without losing an attempt', async () => {
    await using world = await openWorld()
    const owner = await world.home.as('owner')
    const work = async () => startWorkers(world.resources, await connectWorkerQueue(world.config))
    let stop = await work()
    const linked = await addLinkedUnit(owner)
    const reaches = (status: string) =>
      until(
        () => statusOf(owner, linked),
        (seen) => seen.status === status && (seen.in_sync || status !== 'completed'),
      )
    await reaches('completed')
    await addPmsFault(world, linked, { mode: 'hang', times: 1 })
    await setPrice(owner, linked, 51_000)
    await until(
      () => callsFor(world, linked),
      (calls) => calls.at(-1)?.status === null,
    )
    await stop(200)
    const left = await until(
      () => statusOf(owner, linked),
      ({ status }) => status !== 'in_progress',
    )
    assert.deepEqual([left.status, left.attempts], ['pending', 0])
    assert.match(left.error_message ?? '', /worker stopped/)
    stop = await work()
    try {
      await reaches('completed')
      assert.equal((await atPms(world, linked))?.['base_price_cents'], 51_000)
      const broken = (await historyOf(owner, linked)).find(({ error }) => error)
      assert.deepEqual([broken?.action, broken?.error?.code], ['sync.retry_scheduled', 'internal'])
    } finally {
      await stop(2_000)
    }
  })
})
