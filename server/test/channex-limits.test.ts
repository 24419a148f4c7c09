import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  arriving,
  channexWorld,
  decide,
  openProperty,
  shownBy,
  sorted,
  type Property,
} from './channex-live.ts'
import { until } from './linked-units.ts'

const setup = channexWorld()

const statusOf = async (property: Property, room = 0) =>
  (await setup.owner.get(`/api/v1/sync/status/${property.rooms[room]!.listingId}`)).body

const hasArrived = (property: Property, seconds: number) =>
  until(
    () => Promise.all(property.rooms.map((_, room) => statusOf(property, room))),
    (all) => all.every(({ status, in_sync }) => status === 'completed' && in_sync),
    seconds,
  )

const priceAt = async (property: Property, night: number, room = 0) => {
  const { plans } = await shownBy(setup, property, property.day(night))
  return plans[property.rooms[room]!.plans[0]!.externalId]![property.day(night)]!['rate']
}

const price = (property: Property, night: number, price_cents: number, room = 0) => ({
  unit_id: property.rooms[room]!.unitId,
  date_from: property.day(night),
  date_to: property.day(night),
  price_cents,
})

/** The calls of a property after the one with this number. */
async function callsTo({ propertyId }: Property, after: number) {
  const { calls } = (await setup.control('GET', `calls?after=${after}`)).body
  return sorted(calls.filter(({ property }: { property: string | null }) => property === propertyId))
}

suite('Channex certification: the limits', () => {
  test('forty consecutive changes stay below the limit, without a 429, and end exact', async () => {
    const property = await openProperty(setup, { rooms: 2, config: { debounce_ms: 0 } })
    const { restrictions } = await arriving(
      setup,
      async () => {
        for (let change = 0; change < 40; change++) {
          await decide(setup, price(property, 3 + (change % 10), 20_000 + change, change % 2))
          await new Promise((resolve) => setTimeout(resolve, 60))
        }
        await hasArrived(property, 120)
      },
      false,
    )
    assert.deepEqual(
      restrictions.map(({ status }) => status),
      Array(restrictions.length).fill(200),
    )
    assert.ok(restrictions.length <= 9, `${restrictions.length} messages beside the first one`)
    // The last decision for each of the ten nights; even changes are of the first room.
    for (let night = 0; night < 10; night++) {
      const room = night % 2
      assert.equal(await priceAt(property, 3 + night, room), `200.3${night}`)
      assert.equal(await priceAt(property, 3 + night, 1 - room), room === 0 ? '110.00' : '100.00')
    }
  })

  test('forty changes within the debounce are a few calls', async () => {
    const property = await openProperty(setup, { config: { debounce_ms: 10_000 } })
    const startedAt = Date.now()
    const { restrictions } = await arriving(setup, async () => {
      for (let change = 0; change < 40; change++)
        await decide(setup, price(property, 3 + (change % 10), 20_000 + change))
      await hasArrived(property, 120)
    })
    // The first one at once, then at most two in the ten seconds that a change waits for others.
    const most = 3 + (2 * (Date.now() - startedAt)) / 10_000
    assert.ok(restrictions.length <= most, `${restrictions.length} messages of at most ${most}`)
    assert.equal(await priceAt(property, 12), '200.39')
  })

  test('a 429 caused by another client is respected and shown, and the push continues later', async () => {
    const property = await openProperty(setup)
    const value = { property_id: property.propertyId, room_type_id: property.rooms[0]!.roomTypeId }
    for (let n = 0; n < 9; n++)
      await setup.api('POST', '/availability', {
        values: [{ ...value, date: property.day(300 + n), availability: 3 }],
      })
    const { last } = (await setup.control('GET', 'calls')).body
    await decide(setup, { ...price(property, 10, 20_000), blocked: 1 })
    const waiting = await until(
      () => statusOf(property),
      ({ error_code }) => error_code === 'rate_limited',
    )
    assert.deepEqual([waiting.status, waiting.in_sync], ['pending', false])
    assert.ok(Date.parse(waiting.next_attempt_at) > Date.now())
    const { sync_target } = (await setup.owner.get(`/api/v1/sync/targets/${property.targetId}`)).body
    const budget = sync_target.budgets.find(({ kind }: { kind: string }) => kind === 'availability')
    assert.ok(Date.parse(budget.next_call_at) > Date.now())
    // Prices are counted apart, and went out all the same.
    assert.equal(await priceAt(property, 10), '200.00')

    await setup.control('PUT', 'clock', { ahead_ms: 61_000 })
    await hasArrived(property, 120)
    await setup.control('PUT', 'clock', { ahead_ms: 0 })
    const { availability } = sorted((await setup.control('GET', `calls?after=${last}`)).body.calls)
    assert.deepEqual(
      availability.map(({ status }) => status),
      [429, 200],
    )
    const { rooms } = await shownBy(setup, property, property.day(10))
    assert.deepEqual(rooms[property.rooms[0]!.roomTypeId], { [property.day(10)]: 2 })
  })

  test('respects Retry-After as seconds and as a date', async () => {
    const respects = async (retry_after: 2 | 'date') => {
      const property = await openProperty(setup)
      const { last } = (await setup.control('GET', 'calls')).body
      const fault = { mode: 'rate_limit', limit: 0, window_ms: 2_000, times: 1, retry_after }
      await setup.control('PUT', 'faults', { ...fault, method: 'POST', property: property.propertyId })
      await decide(setup, price(property, 10, 20_000))
      await hasArrived(property, 120)
      const { restrictions } = await callsTo(property, last)
      assert.deepEqual(
        restrictions.map(({ status }) => status),
        [429, 200],
      )
      const [first, second] = restrictions.map(({ at }) => Date.parse(at))
      assert.ok(second! - first! >= (retry_after === 2 ? 2_000 : 1_000), `${second! - first!} ms`)
      assert.equal(await priceAt(property, 10), '200.00')
    }
    await Promise.all([respects(2), respects('date')])
  })
})

suite('Channex certification: failures of Channex', { concurrency: true }, () => {
  test('retries 5xx, timeouts and invalid responses until everything is accepted', async () => {
    const faults = [{ mode: 'refuse', status: 503 }, { mode: 'lose_reply' }, { mode: 'garbage' }]
    await Promise.all(
      faults.map(async (fault) => {
        const property = await openProperty(setup)
        await setup.control('PUT', 'faults', {
          ...fault,
          method: 'POST',
          times: 1,
          property: property.propertyId,
        })
        await decide(setup, price(property, 10, 23_450))
        const failed = await until(
          () => statusOf(property),
          ({ error_code, status }) => error_code !== null && status === 'pending',
        )
        assert.ok(failed.attempts >= 1)
        await hasArrived(property, 120)
        assert.equal(await priceAt(property, 10), '234.50')
        assert.equal((await statusOf(property)).error_message, null)
      }),
    )
  })

  test('changes during an outage are one call afterwards', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    await setup.control('PUT', 'faults', { mode: 'refuse', status: 503, property: property.propertyId })
    for (const [night, room] of [
      [5, 0],
      [6, 1],
      [7, 0],
    ])
      await decide(setup, price(property, night!, 25_000, room))
    await until(
      () => statusOf(property),
      ({ error_code }) => error_code === 'pms_unavailable',
    )
    const { last } = (await setup.control('GET', 'calls')).body
    // Otherwise a retry of one room may come between the end of the fault and the request for the other.
    await setup.world.withoutWorkers(async () => {
      await setup.control('DELETE', `faults?property=${property.propertyId}`)
      for (const { listingId } of property.rooms)
        await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: listingId })
    })
    await hasArrived(property, 120)
    const { restrictions } = await callsTo(property, last)
    assert.ok(restrictions.length <= 2, `${restrictions.length} messages`)
    for (const [night, room] of [
      [5, 0],
      [6, 1],
      [7, 0],
    ])
      assert.equal(await priceAt(property, night!, room), '250.00')
  })
})
