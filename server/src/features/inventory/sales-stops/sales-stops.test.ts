import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addListing, addPlan, addSpace, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/sales-stops'
const nights = { date_from: '2030-07-01', date_to: '2030-07-05' }
const stop = async (body: object = {}) => expectStatus(await owner.post(path, body), 201).sales_stop
const lift = async (id: string) => expectStatus(await owner.delete(`${path}/${id}`), 204)
const tile = async (unitId: string) => {
  const query = `unit_id=${unitId}&from=${nights.date_from}&to=${nights.date_to}`
  return expectStatus(await owner.get(`/api/v1/calendar?${query}`), 200).calendar[0]
}
const isStopped = async (unitId: string) => {
  const { stopped, plans } = await tile(unitId)
  const days = plans.flatMap((plan: { days: { stop_sell: boolean }[] }) => plan.days)
  assert.equal(
    days.every((day: { stop_sell: boolean }) => day.stop_sell),
    stopped,
  )
  return stopped as boolean
}
const pendingOf = async (listingId: string) =>
  (await owner.get(`/api/v1/sync/status/${listingId}`)).body.pending_changes as number

suite('sales stops', () => {
  test('stops all sales at once, and resumes them exactly as before', async () => {
    const unit = await addUnit(owner, { quantity: 2 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const value = { unit_id: unit.id, ...nights, rate_plan_id: plan.id, weekdays: ['tue'], stop_sell: true }
    expectStatus(await owner.post('/api/v1/calendar', { values: [value] }), 201)
    const before = await tile(unit.id)
    const made = await owner.post(path, { reason: 'Water in the cellar' })
    const { id, created_at, stopped_by, ...rest } = expectStatus(made, 201).sales_stop
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: null,
      space_id: null,
      unit_id: null,
      channel_target_id: null,
      reason: 'Water in the cellar',
      lifted_at: null,
    })
    assert.deepEqual([stopped_by.name, made.headers.get('location')], ['Home owner', `${path}/${id}`])
    assert.deepEqual(expectStatus(await owner.get(`${path}/${id}`), 200), made.body)
    assert.equal(await isStopped(unit.id), true)
    assert.deepEqual((await tile(unit.id)).availability, before.availability)
    await lift(id)
    assert.deepEqual(await tile(unit.id), before)
    const lifted = expectStatus(await owner.get(`${path}/${id}`), 200).sales_stop
    assert.ok(lifted.lifted_at >= created_at)
    expectProblem(await owner.delete(`${path}/${id}`), 404, 'not-found')
  })

  test('stops one unit or space; two stops of a unit must both be lifted', async () => {
    const unit = await addUnit(owner)
    const neighbour = await addUnit(owner, { space_id: unit.space_id })
    const other = await addUnit(owner)
    const all = async () => [
      await isStopped(unit.id),
      await isStopped(neighbour.id),
      await isStopped(other.id),
    ]
    const first = await stop({ unit_id: unit.id })
    assert.equal(first.account_id, world.home.accountId)
    assert.deepEqual(await all(), [true, false, false])
    const second = await stop({ space_id: unit.space_id })
    assert.deepEqual(await all(), [true, true, false])
    await lift(first.id)
    assert.deepEqual(await all(), [true, true, false])
    await lift(second.id)
    assert.deepEqual(await all(), [false, false, false])
  })

  test('a stop at one target leaves other targets on sale', async () => {
    const listing = await addListing(owner)
    const { id } = await stop({ unit_id: listing.unit_id, channel_target_id: listing.channel_target_id })
    assert.equal(await isStopped(listing.unit_id), false)
    await lift(id)
  })

  test('pushes the affected listings when a stop begins and ends', async () => {
    const listing = await addListing(owner)
    const apart = await addListing(owner)
    for (const [body, hear] of [
      [{ unit_id: listing.unit_id }, [1, 0]],
      [{ space_id: listing.unit.space_id }, [1, 0]],
      [{ channel_target_id: listing.channel_target_id }, [1, 0]],
      [{}, [1, 1]],
    ] as const) {
      const before = [await pendingOf(listing.id), await pendingOf(apart.id)]
      const received = async () => [
        (await pendingOf(listing.id)) - before[0]!,
        (await pendingOf(apart.id)) - before[1]!,
      ]
      const { id } = await stop(body)
      assert.deepEqual(await received(), hear)
      await lift(id)
      assert.deepEqual(
        await received(),
        hear.map((times) => times * 2),
      )
    }
  })

  test('shows what it covers, what another stop covers too, and how far it has reached the channels', async () => {
    const listing = await addListing(owner)
    const neighbour = await addUnit(owner, { space_id: listing.unit.space_id })
    const reachOf = async (query: string, caller = owner) =>
      expectStatus(await caller.get(`${path}/${query}`), 200).reach
    const covered = { units: 2, stopped_otherwise: 0, listings: 1, failing: 0, paused: 0 }
    const preview = `preview?space_id=${listing.unit.space_id}`
    assert.deepEqual(await reachOf(preview), { ...covered, reached: 0 })
    const whole = await stop({ space_id: listing.unit.space_id })
    const one = await stop({ unit_id: neighbour.id })
    // No worker runs, so nothing is pushed.
    assert.deepEqual(await reachOf(`${whole.id}/reach`), { ...covered, stopped_otherwise: 1, reached: 0 })
    assert.deepEqual(await reachOf(`${one.id}/reach`), {
      ...{ units: 1, stopped_otherwise: 1, listings: 0, reached: 0, failing: 0, paused: 0 },
    })
    assert.equal((await reachOf(preview, stranger)).units, 0)
    expectProblem(await stranger.get(`${path}/${whole.id}/reach`), 404, 'not-found')
    await lift(whole.id)
    await lift(one.id)
    expectStatus(await owner.post(`/api/v1/channel-listings/${listing.id}/pause`), 201)
    assert.deepEqual(await reachOf(preview), { ...covered, listings: 0, reached: 0, paused: 1 })
  })

  test('each stop and each resumption is one audit entry', async () => {
    const unit = await addUnit(owner)
    const { id } = await stop({ unit_id: unit.id, reason: 'Paint' })
    await lift(id)
    const { audit } = (await owner.get(`/api/v1/sync/audit?unit_id=${unit.id}&sort=created_at`)).body
    assert.deepEqual(
      audit.map((entry: { action: string; actor: { name: string } }) => [entry.action, entry.actor.name]),
      [
        ['sales.stopped', 'Home owner'],
        ['sales.resumed', 'Home owner'],
      ],
    )
    assert.deepEqual(
      [audit[0].changes[0].after.reason, audit[1].changes[0].before.reason],
      ['Paint', 'Paint'],
    )
  })

  test('the list filters active and lifted stops', async () => {
    const target = await addTarget(owner)
    const [held, lifted] = [
      await stop({ channel_target_id: target.id }),
      await stop({ channel_target_id: target.id }),
    ]
    await lift(lifted.id)
    const found = async (query: string) =>
      ids(expectStatus(await owner.get(`${path}?channel_target_id=${target.id}${query}`), 200).sales_stops)
    assert.deepEqual(await found(''), [held.id, lifted.id])
    assert.deepEqual(await found('&lifted=false'), [held.id])
    assert.deepEqual(await found('&lifted=true'), [lifted.id])
  })

  test('of two concurrent lifts of a stop one succeeds', async () => {
    const { id } = await stop({ space_id: (await addSpace(owner)).id })
    const replies = await Promise.all([1, 2, 3].map(() => owner.delete(`${path}/${id}`)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404, 404])
  })

  test('a stopped unit can be deleted, with its stop', async () => {
    const unit = await addUnit(owner)
    const { id } = await stop({ unit_id: unit.id })
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
  })
})

suite('sales stops: errors and security', () => {
  test('rejects unknown records, and a unit together with a space', async () => {
    for (const member of ['space_id', 'unit_id', 'channel_target_id'])
      expectProblem(await owner.post(path, { [member]: unknownId }), 422, 'reference-not-found', `/${member}`)
    const unit = await addUnit(owner)
    const both = { unit_id: unit.id, space_id: unit.space_id }
    expectProblem(await owner.post(path, both), 422, 'semantic-error', '/unit_id')
    expectProblem(await owner.post(path, { all: true }), 400, 'validation-error', '/all')
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    expectProblem(await owner.delete(`${path}/${unknownId}`), 404, 'not-found')
  })

  test('a stale ETag does not lift a stop', async () => {
    const { id } = await stop({ unit_id: (await addUnit(owner)).id })
    const stale = await owner.delete(`${path}/${id}`, { 'if-match': '"7.x"' })
    expectProblem(stale, 412, 'precondition-failed')
    const { headers } = await owner.get(`${path}/${id}`)
    expectStatus(await owner.delete(`${path}/${id}`, { 'if-match': headers.get('etag')! }), 204)
  })

  test('another organization stops and lifts nothing', async () => {
    const unit = await addUnit(owner)
    const { id } = await stop({ unit_id: unit.id })
    expectProblem(await stranger.get(`${path}/${id}`), 404, 'not-found')
    expectProblem(await stranger.delete(`${path}/${id}`), 404, 'not-found')
    expectProblem(await stranger.post(path, { unit_id: unit.id }), 422, 'reference-not-found', '/unit_id')
    await lift(id)
    expectStatus(await stranger.post(path, {}), 201)
    assert.equal(await isStopped(unit.id), false)
  })

  test('reading and stopping require their permissions', async () => {
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(path), 200)
    expectProblem(await viewer.post(path, {}), 403, 'forbidden')
    expectProblem(await viewer.delete(`${path}/${unknownId}`), 403, 'forbidden')
  })
})
