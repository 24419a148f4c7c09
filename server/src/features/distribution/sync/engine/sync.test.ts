import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectStatus } from '#test/expect.ts'
import {
  atPms,
  callsFor,
  clearPmsFaults,
  heldReply,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

suite('sync: happy', () => {
  test('pushes a linked unit in full, and then its changes', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const first = await atPms(world, linked)
    assert.equal(first?.['base_price_cents'], 10_000)
    assert.equal(first?.['open'], true)
    await setPrice(owner, linked, 12_345)
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 12_345)
    assert.deepEqual(
      (await callsFor(world, linked)).map(({ method, body }) => [method, Object.keys(body).length]),
      [
        ['PUT', 11],
        ['PATCH', 1],
      ],
    )
    const { last_synced_at, verified_at, ...status } = await statusOf(owner, linked)
    assert.match(last_synced_at ?? '', /^\d{4}-.*Z$/)
    assert.match(verified_at ?? '', /^\d{4}-.*Z$/)
    assert.deepEqual(status, {
      channel_listing_id: linked.listingId,
      status: 'completed',
      error_message: null,
      error_code: null,
      attempts: 1,
      next_attempt_at: null,
      in_sync: true,
      pending_changes: 0,
      behind_since: null,
      stale: false,
      warnings: [],
      verification: 'verified',
      unverified_since: null,
    })
    const { channel_listing } = (await owner.get(`/api/v1/channel-listings/${linked.listingId}`)).body
    assert.equal(channel_listing.status, 'active')
    assert.equal(channel_listing.last_synced_at, last_synced_at)
  })

  test('pushes a night that a lower minimum price opens again', async () => {
    const linked = await addLinkedUnit(owner)
    const { unitId: unit_id, listingId } = linked
    const patch = async (change: object) => {
      expectStatus(await owner.patch(`/api/v1/units/${unit_id}`, change), 200)
      await world.settled()
    }
    await patch({ min_price_cents: 8_000 })
    // Written before the unit had a minimum price.
    const night = inDays(10)
    await runSql(
      world,
      sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents, stop_sell)
        select org_id, unit_id, id, ${night}, 5000, false from rate_plans where unit_id = ${unit_id}`,
    )
    const value = { unit_id, date_from: night, date_to: night, min_stay_arrival: 2 }
    expectStatus(await owner.post('/api/v1/calendar', { values: [value] }), 201)
    await world.settled()
    const unsent = async () =>
      expectStatus(await owner.get(`/api/v1/sync/preview/${listingId}`), 200).preview.calendar
    assert.deepEqual(await unsent(), [])
    await patch({ min_price_cents: null })
    assert.deepEqual(await unsent(), [])
  })

  test('records actor, change, request, response and duration in the audit', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const manager = await world.home.as('manager')
    await manager.patch(
      `/api/v1/units/${linked.unitId}`,
      { base_price_cents: 20_000 },
      { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    )
    await world.settled()
    const history = await historyOf(owner, linked)
    assert.deepEqual(
      history.map(({ action }) => action),
      ['listing.linked', 'sync.started', 'sync.completed', 'sync.started', 'sync.completed'],
    )
    const last = history.at(-1)!
    assert.deepEqual(last.changes, [{ field: 'base_price_cents', before: 10_000, after: 20_000 }])
    assert.equal(last.actor.name, 'Home manager')
    assert.equal(last.request?.method, 'PATCH')
    assert.equal(last.request?.path, `/properties/${linked.targetId}/units/${linked.externalId}`)
    assert.match(last.request?.payload_hash ?? '', /^sha256:[0-9a-f]{64}$/)
    assert.equal(last.response?.http_status, 200)
    assert.ok(last.response?.request_id)
    assert.ok(last.duration_ms !== null && last.duration_ms >= 0)
    assert.equal(last.trace_id, traceId)
    assert.ok((await callsFor(world, linked)).at(-1)!.traceparent.includes(traceId))
  })

  test('sends a burst of changes in few pushes, with the last value', async () => {
    const linked = await addLinkedUnit(owner, { debounce_ms: 10_000 })
    await world.settled()
    const before = (await callsFor(world, linked)).length
    let next = 0
    const client = async () => {
      while (next < 120) await setPrice(owner, linked, 20_000 + ++next)
    }
    await Promise.all([client(), client(), client(), client()])
    const { unit } = (await owner.get(`/api/v1/units/${linked.unitId}`)).body
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], unit.base_price_cents)
    const pushes = (await callsFor(world, linked)).length - before
    // At most three when nothing stands still meanwhile.
    assert.ok(pushes >= 1 && pushes <= 12, `${pushes} pushes`)
    assert.equal((await statusOf(owner, linked)).in_sync, true)
  })

  test('does not send a change that was reverted before the push', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await setPrice(owner, linked, 11_000)
    await world.settled()
    await world.withoutWorkers(async () => {
      for (const price of [12_000, 13_000, 11_000]) await setPrice(owner, linked, price)
    })
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 11_000)
    assert.equal((await statusOf(owner, linked)).in_sync, true)
    const history = await historyOf(owner, linked)
    const sent = history.filter(({ request }) => request).length
    assert.equal((await callsFor(world, linked)).length, sent)
    assert.ok(history.some(({ action }) => action === 'sync.skipped'))
  })

  test('pushes a change of the space for all its units; an inactive space closes them', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await owner.patch(`/api/v1/spaces/${linked.spaceId}`, { city: 'Porto', status: 'inactive' })
    await world.settled()
    const unit = await atPms(world, linked)
    assert.equal((unit?.['space'] as { city: string }).city, 'Porto')
    assert.equal(unit?.['open'], false)
  })

  test('requests no push for a write without a change', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const before = await statusOf(owner, linked)
    await setPrice(owner, linked, 10_000)
    assert.deepEqual(await statusOf(owner, linked), before)
  })

  test('pushes changes made during a push after it, never concurrently', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 31_000)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    await setPrice(owner, linked, 32_000)
    const during = await statusOf(owner, linked)
    assert.deepEqual([during.status, during.in_sync], ['in_progress', false])
    await clearPmsFaults(world)
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 32_000)
    assert.deepEqual(
      (await callsFor(world, linked)).slice(1).map(({ body }) => body['base_price_cents']),
      [31_000, 32_000],
    )
  })
})
