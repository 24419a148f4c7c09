import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { addMessage } from '#test/records.ts'
import { addPmsFault, addLinkedUnit, setPrice, statusOf, until } from '#test/linked-units.ts'
import { openWorld } from '#test/world.ts'

suite('analytics: sync', () => {
  test('counts listings by state, pushes by result, and messages with their duplicates', async () => {
    await using world = await openWorld({ workers: true })
    const owner = await world.home.as('owner')
    const read = async (query = '') =>
      expectStatus(await owner.get(`/api/v1/admin/analytics${query}`), 200).analytics
    assert.deepEqual((await read()).sync, {
      listings: 0,
      in_sync: 0,
      stale: 0,
      error: 0,
      oldest_pending_seconds: null,
      jobs: { completed: 0, failed: 0 },
      success_rate: null,
      p95_latency_ms: null,
    })
    const [good, bad] = [await addLinkedUnit(owner), await addLinkedUnit(owner)]
    await addLinkedUnit(await world.away.as('owner'))
    for (const unit of [good, bad])
      await until(
        () => statusOf(owner, unit),
        ({ verification }) => verification === 'verified',
      )
    await addPmsFault(world, bad, { mode: 'refuse', status: 422 })
    await setPrice(owner, bad, 99)
    await until(
      () => statusOf(owner, bad),
      ({ status }) => status === 'failed',
    )
    await addMessage(world, good.targetId, { id: 'evt_same' })
    await addMessage(world, good.targetId, { id: 'evt_same' })
    await addMessage(world, good.targetId)

    const { sync, webhooks } = await read()
    const { p95_latency_ms, oldest_pending_seconds, ...counted } = sync
    assert.deepEqual(counted, {
      listings: 2,
      in_sync: 1,
      stale: 0,
      error: 1,
      jobs: { completed: 2, failed: 1 },
      success_rate: 0.6667,
    })
    assert.ok(p95_latency_ms > 0 && Number.isInteger(oldest_pending_seconds))
    assert.deepEqual(webhooks, { received: 2, rejected: 0, duplicates: 1 })

    const one = (await read(`?unit_id=${good.unitId}`)).sync
    assert.deepEqual(
      [one.listings, one.error, one.jobs, one.success_rate],
      [1, 0, { completed: 1, failed: 0 }, 1],
    )
    const inSpace = (await read(`?space_id=${bad.spaceId}`)).sync
    assert.deepEqual([inSpace.listings, inSpace.error, inSpace.jobs], [1, 1, { completed: 1, failed: 1 }])
    const before = await read('?from=2020-01-01&to=2020-01-31')
    assert.deepEqual([before.sync.jobs, before.webhooks.received], [{ completed: 0, failed: 0 }, 0])
  })
})
