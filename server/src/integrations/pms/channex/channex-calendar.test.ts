import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  assertAllAccepted,
  onlyResult,
  openPropertyFixture,
  updateOf,
  terms,
} from '#test/channex-property.ts'
import { day, nights } from '#test/pms-fixture.ts'
import type { RateRange } from '../pms.ts'

const { max_stay: _, price_cents: __, ...stays } = terms
const everyRestriction = { rate: 18_900, max_stay: 0, ...stays }

suite('calls for one change', () => {
  test('one price of one date is one call with nothing else', async () => {
    await using property = await openPropertyFixture({ plans: 2 })
    const [unit] = property.units
    const one = updateOf(unit!, { rates: [{ plan: 'plan-1', ...nights(3), price_cents: 33_300 }] })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const [call, ...more] = await property.calls({ writes: false })
    assert.deepEqual(more, [])
    assert.deepEqual([call!.method, call!.path, call!.status], ['POST', '/api/v1/restrictions', 200])
    assert.deepEqual(call!.body, {
      values: [
        {
          property_id: property.propertyId,
          rate_plan_id: unit!.plans[1]!.externalId,
          date_from: day(3),
          date_to: day(3),
          rate: 33_300,
        },
      ],
    })
    assert.equal(call!.idempotency_key, null)
  })

  test('prices of several plans of several units on several dates are one call', async () => {
    await using property = await openPropertyFixture({ rooms: 3, plans: 2 })
    const updates = property.units.map((unit, n) =>
      updateOf(unit, {
        rates: [
          { plan: 'plan-0', ...nights(2 + n), price_cents: 10_000 + n },
          { plan: 'plan-1', ...nights(10, 12), price_cents: 20_000 + n },
        ],
      }),
    )
    assertAllAccepted(await property.connection.push(updates, {}), updates)
    const calls = await property.calls({ writes: false })
    assert.deepEqual(
      calls.map(({ path, body }) => [path, body.values.length]),
      [['/api/v1/restrictions', 6]],
    )
    const shown = await property.connection.readUnits(property.units, nights(1, 20), {})
    const { rates } = shown.get(property.units[2]!.externalId)!
    assert.deepEqual(
      rates.filter(({ price_cents: price }) => price).map(({ plan, date_from, price_cents }) => [plan, date_from, price_cents]), // prettier-ignore
      [
        ['plan-0', day(4), 10_002],
        ['plan-1', day(10), 20_002],
      ],
    )
  })

  test('half a year of restrictions and closures is one value', async () => {
    await using property = await openPropertyFixture()
    const run: RateRange = {
      plan: 'plan-0',
      ...nights(1, 182),
      min_stay_arrival: 3,
      min_stay_through: 2,
      max_stay: 21,
      closed_to_arrival: true,
      closed_to_departure: false,
    }
    const one = updateOf(property.units[0]!, { rates: [run] })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const [call, ...more] = await property.calls({ writes: false })
    assert.deepEqual([more.length, call!.body.values.length], [0, 1])
    const { plan: _, ...rest } = run
    assert.deepEqual(call!.body.values[0], {
      property_id: property.propertyId,
      rate_plan_id: property.units[0]!.plans[0]!.externalId,
      ...rest,
    })
    const shown = await property.connection.readUnits(property.units, nights(1, 182), {})
    assert.deepEqual(shown.get(property.units[0]!.externalId)!.rates, [
      { price_cents: 0, stop_sell: false, ...run },
    ])
  })

  test('a stop sell goes before rooms, and before what opens in its own message', async () => {
    await using property = await openPropertyFixture({ plans: 2 })
    const one = updateOf(property.units[0]!, {
      rooms: [{ ...nights(2, 4), available: 3 }],
      rates: [
        { plan: 'plan-0', ...nights(2, 4), stop_sell: false },
        { plan: 'plan-0', ...nights(5), price_cents: 100 },
        { plan: 'plan-1', ...nights(2, 4), stop_sell: true },
      ],
    })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const [first, second] = await property.calls()
    assert.deepEqual([first!.path, second!.path], ['/api/v1/restrictions', '/api/v1/availability'])
    assert.deepEqual(
      first!.body.values.map(({ stop_sell: stop }) => stop),
      [true, undefined, false],
    )
  })

  test('a night without rooms is sent first', async () => {
    await using property = await openPropertyFixture()
    const one = updateOf(property.units[0]!, {
      rooms: [
        { ...nights(2), available: 2 },
        { ...nights(3), available: 0 },
      ],
      rates: [{ plan: 'plan-0', ...nights(2, 4), stop_sell: true }],
    })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    const [first, second] = await property.calls()
    assert.deepEqual([first!.path, second!.path], ['/api/v1/availability', '/api/v1/restrictions'])
    assert.deepEqual(
      first!.body.values.map(({ availability }) => availability),
      [0, 2],
    )
  })

  test('no difference is no call', async () => {
    await using property = await openPropertyFixture()
    const one = updateOf(property.units[0]!, { changedFields: ['bedrooms', 'open', 'type'] })
    assertAllAccepted(await property.connection.push([one], {}), [one])
    assert.deepEqual(await property.calls({ writes: false }), [])
  })

  test('the call has the trace of the change', async () => {
    await using property = await openPropertyFixture()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const rooms = [{ ...nights(2), available: 1 }]
    await property.connection.push([updateOf(property.units[0]!, { rooms, traceparent })], {})
    const [call] = await property.calls()
    assert.equal(call!.traceparent?.slice(3, 35), traceparent.slice(3, 35))
  })
})

suite('first push', () => {
  test('500 nights of every unit and plan are two calls, with every restriction', async () => {
    await using property = await openPropertyFixture({ rooms: 4, plans: 3 })
    const updates = property.units.map((unit, n) =>
      updateOf(unit, {
        rooms: weeks((week) => ({ available: (week + n) % 4 })),
        rates: unit.plans.flatMap(({ plan }, p) =>
          weeks((week) => ({
            plan,
            ...terms,
            price_cents: 10_000 + week * 100 + p,
            stop_sell: week % 9 === 8,
          })),
        ),
      }),
    )
    assertAllAccepted(await property.connection.push(updates, {}), updates)
    const calls = await property.calls({ writes: false })
    assert.deepEqual(
      calls.map(({ method, path, body }) => [method, path, body.values.length]),
      [
        ['POST', '/api/v1/availability', 4 * 72],
        ['POST', '/api/v1/restrictions', 12 * 72],
      ],
    )
    const names = [
      'property_id',
      'rate_plan_id',
      'date_from',
      'date_to',
      ...Object.keys(everyRestriction),
    ].sort()
    for (const value of calls[1]!.body.values) assert.deepEqual(Object.keys(value).sort(), names)
    const shown = await property.connection.readUnits(property.units, nights(0, 499), {})
    for (const { externalId, rooms, rates } of updates) {
      assert.deepEqual(shown.get(externalId)!.rooms, rooms)
      assert.deepEqual(shown.get(externalId)!.rates, rates)
    }
  })

  /** Today and 499 nights more, a week at a time. */
  function weeks<T>(say: (week: number) => T) {
    return Array.from({ length: 72 }, (_, week) => ({
      ...nights(week * 7, Math.min(week * 7 + 6, 499)),
      ...say(week),
    }))
  }

  test('splits what does not fit into one message', async () => {
    await using property = await openPropertyFixture({ rooms: 100 })
    await property.noLimits()
    const updates = property.units.map((unit) =>
      updateOf(unit, {
        rates: Array.from({ length: 400 }, (_, n) => ({
          plan: 'plan-0',
          ...nights(n + 1),
          ...terms,
          price_cents: 10_000 + n,
        })),
      }),
    )
    assertAllAccepted(await property.connection.push(updates, {}), updates)
    const calls = await property.calls()
    assert.deepEqual(
      calls.map(({ path, status }) => [path, status]),
      [
        ['/api/v1/restrictions', 200],
        ['/api/v1/restrictions', 200],
      ],
    )
    const last = property.units.at(-1)!
    const shown = await property.connection.readUnits([last], nights(1, 400), {})
    assert.deepEqual(shown.get(last.externalId)!.rates, updates.at(-1)!.rates)
    const reads = (await property.calls({ writes: false })).filter(({ path }) =>
      path.includes('/restrictions?'),
    )
    assert.equal(reads.length, 1)
  })
})

test('a result has the request and the response', async () => {
  await using property = await openPropertyFixture()
  const rooms = [{ ...nights(2), available: 1 }]
  const { exchanges } = onlyResult(
    await property.connection.push([updateOf(property.units[0]!, { rooms })], {}),
  )
  assert.equal(exchanges.length, 1)
  const { request, response } = exchanges[0]!
  assert.deepEqual([request.method, request.path], ['POST', '/api/v1/availability'])
  assert.equal(response!.http_status, 200)
  assert.match(response!.summary, /^task [0-9a-f-]{36}$/)
  assert.ok(response!.request_id)
})
