import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget, unknownId } from '#test/records.ts'
import { clearPmsFaults, addPmsFault, addLinkedUnit, setPrice, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

afterEach(() => clearPmsFaults(world))

const stateOf = async (targetId: string) =>
  expectStatus(await owner.get(`/api/v1/sync/targets/${targetId}`), 200).sync_target

suite('the state of a target', () => {
  test('reports a closed circuit, no waiting changes and a full budget', async () => {
    const { targetId } = await addLinkedUnit(owner, { rate_limit: { requests: 40, window_seconds: 60 } })
    await world.settled()
    const { reconcile_at, budgets, ...state } = await stateOf(targetId)
    assert.ok(Date.parse(reconcile_at) > Date.now())
    assert.deepEqual(state, {
      channel_target_id: targetId,
      name: state.name,
      status: 'active',
      circuit: { state: 'closed', failures: 0, opened_at: null, next_probe_at: null },
      queue: {
        ...{ completed: 1, waiting: 0, in_progress: 0, failed: 0, paused: 0, stale: 0 },
        ...{ oldest_change_at: null, expected_at: null },
      },
      reconciled_at: null,
    })
    assert.ok(budgets.length > 0)
    for (const { limit, window_seconds, remaining } of budgets) {
      assert.deepEqual([limit, window_seconds], [40, 60])
      assert.ok(remaining >= 0 && remaining <= 40)
    }
    assert.ok(
      budgets.some(({ remaining }: { remaining: number }) => remaining < 40),
      'calls are counted',
    )
  })

  test('reports for an exhausted budget when the next call is possible and waiting changes are expected', async () => {
    const linked = await addLinkedUnit(owner, { rate_limit: { requests: 1, window_seconds: 600 } })
    await until(
      () => stateOf(linked.targetId),
      ({ budgets }) => budgets.every(({ remaining }: { remaining: number }) => remaining === 0),
    )
    await setPrice(owner, linked, 12_345)
    const { budgets, queue } = await until(
      () => stateOf(linked.targetId),
      (seen) => seen.queue.waiting === 1,
    )
    const next = budgets.map(({ next_call_at }: { next_call_at: string }) => next_call_at).sort()[0]
    assert.ok(Date.parse(next) > Date.now() + 60_000, next)
    assert.ok(Date.parse(queue.expected_at) >= Date.parse(next))
    assert.ok(Date.parse(queue.oldest_change_at) <= Date.now())
  })

  test('reports an open circuit with the next probe, when waiting changes are expected', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    // The probe is refused too, also when a user requests it.
    const everywhere = { property: undefined, external_id: undefined }
    await addPmsFault(world, linked, { mode: 'refuse', status: 503, ...everywhere })
    await until(
      async () => {
        await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId, mode: 'full' })
        return await stateOf(linked.targetId)
      },
      ({ circuit }) => circuit.state !== 'closed',
    )
    const { circuit, queue, status } = await until(
      () => stateOf(linked.targetId),
      (seen) => seen.circuit.state === 'open' && seen.queue.waiting === 1,
    )
    assert.equal(status, 'error')
    assert.ok(circuit.failures >= 5)
    assert.ok(Date.parse(circuit.next_probe_at) > Date.parse(circuit.opened_at))
    assert.ok(Date.parse(queue.expected_at) >= Date.parse(circuit.next_probe_at))
    await clearPmsFaults(world)
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    await until(
      () => stateOf(linked.targetId),
      (state) => state.circuit.state === 'closed' && state.queue.waiting === 0 && state.status === 'active',
    )
  })

  test('counts failed and paused listings; all listings of an inactive target are suspended', async () => {
    const linked = await addLinkedUnit(owner)
    await addListing(owner, { channel_target_id: linked.targetId, status: 'paused' })
    await world.settled()
    await addPmsFault(world, linked, { mode: 'refuse', status: 422, calendar: true })
    await setPrice(owner, linked, 23_456)
    const { queue } = await until(
      () => stateOf(linked.targetId),
      (seen) => seen.queue.failed === 1,
    )
    assert.deepEqual([queue.failed, queue.paused, queue.waiting, queue.expected_at], [1, 1, 0, null])
    const off = { channel_type: 'pms', name: 'Off', status: 'inactive' }
    expectStatus(await owner.put(`/api/v1/channel-targets/${linked.targetId}`, off), 200)
    const held = await stateOf(linked.targetId)
    assert.deepEqual([held.status, held.queue.failed, held.queue.paused], ['inactive', 0, 2])
  })
})

suite('the states of all targets', () => {
  test('are paged, each once, with the counts of its listings', async () => {
    const caller = await world.away.as('owner')
    const made: string[] = []
    for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta'])
      made.push((await addTarget(caller, { name })).id as string)
    await addListing(caller, { channel_target_id: made[1]! })
    await world.settled()
    const seen: { channel_target_id: string; name: string }[] = []
    let next: string | null = ''
    while (next !== null) {
      const query: string = `sort=-name&limit=3${next && `&cursor=${next}`}`
      const page = expectStatus(await caller.get(`/api/v1/sync/targets?${query}`), 200)
      seen.push(...(page.sync_targets as typeof seen))
      next = page.next_cursor as string | null
    }
    assert.deepEqual(
      seen.map(({ name }) => name),
      ['Gamma', 'Delta', 'Beta', 'Alpha'],
    )
    assert.deepEqual(seen.map((one) => one.channel_target_id).sort(), made.sort())
    const active = expectStatus(await caller.get('/api/v1/sync/targets?status=inactive'), 200)
    assert.deepEqual(active.sync_targets, [])
  })

  test('show nothing of another organization', async () => {
    const { targetId } = await addLinkedUnit(owner)
    const stranger = await world.away.as('viewer')
    expectProblem(await stranger.get(`/api/v1/sync/targets/${targetId}`), 404, 'not-found')
    expectProblem(await stranger.get(`/api/v1/sync/targets/${unknownId}`), 404, 'not-found')
    assert.ok(!(await stranger.get('/api/v1/sync/targets')).text.includes(targetId))
    const machine = await world.home.as('service', { permissions: ['units:read'] })
    expectProblem(await machine.get('/api/v1/sync/targets'), 403, 'forbidden')
  })
})
