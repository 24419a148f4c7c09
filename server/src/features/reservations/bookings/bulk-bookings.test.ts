import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addBooking, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let unitId: string
before(async () => (unitId = (await addUnit(owner, { quantity: 1_000 })).id))

const add = async (status?: string) =>
  (await addBooking(owner, { unitId, ...(status && { status }) })).id as string
const send = (body: object, caller = owner, headers = {}) =>
  caller.post('/api/v1/bookings/bulk', body, headers)
const change = async (action: string, ids: string[], more: object = {}) =>
  expectStatus(await send({ action, booking_ids: ids, ...more }), 200)
const find = async (id: string) => expectStatus(await owner.get(`/api/v1/bookings/${id}`), 200).booking

suite('bulk changes of bookings', () => {
  test('confirms, checks in and checks out, with an event and a history for each', async () => {
    const ids = [await add('pending'), await add('pending')]
    for (const [action, status] of [
      ['confirm', 'confirmed'],
      ['check_in', 'checked_in'],
      ['check_out', 'checked_out'],
    ] as const) {
      const { succeeded, failed, results } = await change(action, ids)
      assert.deepEqual([succeeded, failed], [2, 0])
      assert.deepEqual(
        results,
        ids.map((id) => ({ id, result: 'succeeded', status, problem: null })),
      )
      for (const id of ids) assert.equal((await find(id)).status, status)
    }
    const { audit } = expectStatus(await owner.get(`/api/v1/sync/audit?unit_id=${unitId}&limit=100`), 200)
    const actions = audit.map(({ action }: { action: string }) => action)
    assert.equal(actions.filter((one: string) => one === 'booking.checked_in').length, 2)
    // An event shows when no older transaction is open, in the whole cluster.
    await until(
      async () =>
        (await owner.get('/api/v1/events?limit=100&types=booking.updated')).body.events.length as number,
      (shown) => shown === 6,
    )
  })

  test('cancels with a reason', async () => {
    const id = await add()
    await change('cancel', [id], { cancellation_reason: 'host' })
    const { status, cancellationReason } = await find(id)
    assert.deepEqual([status, cancellationReason], ['cancelled', 'host'])
  })

  test('changes what it can, and returns the problems of the others', async () => {
    const [good, cancelled] = [await add(), await add('confirmed')]
    await change('cancel', [cancelled])
    const { results, succeeded, failed } = await change('check_in', [cancelled, unknownId, good])
    assert.deepEqual([succeeded, failed], [1, 2])
    const single = await owner.patch(`/api/v1/bookings/${cancelled}`, { status: 'checked_in' })
    const { code, status, title, detail, errors } = single.body
    assert.deepEqual(results[0], {
      id: cancelled,
      result: 'failed',
      status: null,
      problem: { code, status, title, detail, errors },
    })
    assert.equal(code, 'invalid-status-transition')
    assert.deepEqual([results[1].problem.code, results[1].problem.status], ['not-found', 404])
    assert.equal((await find(good)).status, 'checked_in')
    // A booking that is as asked already succeeds.
    assert.equal((await change('check_in', [good])).succeeded, 1)
  })

  test('changes 500 bookings, also during a single change of one', async () => {
    const ids: string[] = []
    for (let at = 0; at < 500; at += 10)
      ids.push(...(await Promise.all(Array.from({ length: 10 }, () => add()))))
    const [bulk, single] = await Promise.all([
      change('check_in', ids),
      owner.patch(`/api/v1/bookings/${ids[499]}`, { notes: 'Late.' }),
    ])
    assert.deepEqual([bulk.succeeded, single.status], [500, 200])
    const { status, notes } = await find(ids[499]!)
    assert.deepEqual([status, notes], ['checked_in', 'Late.'])
  })

  test('returns the first response to a repeated request', async () => {
    const body = { action: 'cancel', booking_ids: [await add()] }
    const key = { 'idempotency-key': 'bulk-once' }
    const [first, again] = [await send(body, owner, key), await send(body, owner, key)]
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })
})

suite('bulk changes of bookings: rejected', () => {
  test('another organization finds no booking, and viewers change none', async () => {
    const id = await add()
    const body = { action: 'cancel', booking_ids: [id] }
    const { results } = expectStatus(await send(body, await world.away.as('owner')), 200)
    assert.equal(results[0].problem.code, 'not-found')
    expectProblem(await send(body, await world.home.as('viewer')), 403, 'forbidden')
    assert.equal((await find(id)).status, 'confirmed')
  })

  test('rejects empty, oversized and invalid bodies', async () => {
    const id = await add()
    const refused = async (body: object, pointer: string) =>
      expectProblem(await send(body), 400, 'validation-error', pointer)
    await refused({ action: 'cancel' }, '/booking_ids')
    await refused({ action: 'cancel', booking_ids: [] }, '/booking_ids')
    await refused({ action: 'delete', booking_ids: [id] }, '/action')
    await refused({ action: 'cancel', booking_ids: [id, id] }, '/booking_ids')
    await refused(
      { action: 'cancel', booking_ids: Array.from({ length: 501 }, () => unknownId) },
      '/booking_ids',
    )
    const reason = { action: 'check_in', booking_ids: [id], cancellation_reason: 'host' }
    expectProblem(await send(reason), 422, 'semantic-error', '/cancellation_reason')
  })
})
