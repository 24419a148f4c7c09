import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  assertAllAccepted,
  availabilityUpdate,
  onlyResult,
  openPropertyFixture,
  terms,
  updateOf,
} from '#test/channex-property.ts'
import { day, nights } from '#test/pms-fixture.ts'
import { openFaultyChannex, refusal, accepted } from '#test/faulty-channex.ts'

suite('a 200 with warnings', () => {
  test('fails exactly the named values, with the message of Channex', async () => {
    await using property = await openPropertyFixture({ rooms: 3 })
    const price = (price_cents: number, from: number, to: number) => ({
      plan: 'plan-0',
      ...nights(from, to),
      price_cents,
    })
    const updates = [
      updateOf(property.units[0]!, { rates: [price(9_000, 1, 2)] }),
      updateOf(property.units[1]!, { rates: [price(9_000, 1, 2), price(0, 3, 4), price(9_100, 5, 6)] }),
      updateOf(property.units[2]!, { rates: [price(9_000, 1, 2)], rooms: [{ ...nights(3), available: 2 }] }),
    ]
    const deliveries = await property.connection.push(updates, {})
    const [good, bad, other] = updates.map(({ id }) => deliveries.get(id)!)
    assert.deepEqual([good!.failure, other!.failure], [null, null])
    assert.deepEqual(bad!.acceptedRates, [updates[1]!.rates[0], updates[1]!.rates[2]])
    assert.equal(bad!.failure!.code, 'partial_rejection')
    assert.equal(bad!.failure!.retryable, false)
    assert.equal(
      bad!.failure!.message,
      `Channex refused 1 of 3 values: rate must be greater than 0 (${day(3)} to ${day(4)})`,
    )
    assert.match(bad!.failure!.hint, /price/)
    assert.equal(bad!.failure!.exchange?.response?.summary, '1 tasks, 1 warnings')
    const shown = await property.connection.readUnits([property.units[1]!], nights(1, 6), {})
    assert.deepEqual(
      shown
        .get(property.units[1]!.externalId)!
        .rates.map(({ date_from, price_cents }) => [date_from, price_cents]),
      [
        [day(1), 9_000],
        [day(3), 0],
        [day(5), 9_100],
      ],
    )
  })

  test('about a price leave its night closed, with the other restrictions', async () => {
    await using property = await openPropertyFixture()
    const [unit] = property.units
    const rate = { plan: 'plan-0', ...nights(3), ...terms }
    await property.connection.push([updateOf(unit!, { rates: [rate] })], {})
    const closed = { ...rate, price_cents: 0, stop_sell: true, max_stay: 4 }
    const one = updateOf(unit!, { rates: [closed, { ...rate, ...nights(5) }] })
    await property.calls()
    const { failure, acceptedRates } = onlyResult(await property.connection.push([one], {}))
    assert.equal((await property.calls()).length, 2)
    assert.equal(failure!.message, `Channex refused 1 of 2 values: rate must be greater than 0 (${day(3)})`)
    assert.deepEqual(acceptedRates, [one.rates[1]])
    const shown = await property.connection.readUnits([unit!], nights(3), {})
    assert.deepEqual(shown.get(unit!.externalId)!.rates, [{ ...closed, price_cents: rate.price_cents }])
  })

  test('about a past night mentions the time zones', async () => {
    await using property = await openPropertyFixture()
    const one = updateOf(property.units[0]!, {
      rooms: [
        { ...nights(-2), available: 1 },
        { ...nights(2), available: 1 },
      ],
    })
    const { failure, acceptedRooms } = onlyResult(await property.connection.push([one], {}))
    assert.deepEqual(acceptedRooms, [one.rooms[1]])
    assert.equal(failure!.code, 'partial_rejection')
    assert.match(failure!.message, /can't be in the past/)
    assert.match(failure!.hint, /time zones/)
  })

  test('about an unknown id is a mapping error', async () => {
    await using property = await openPropertyFixture({ rooms: 2 })
    const lost = availabilityUpdate({ externalId: 'nobody', plans: [] })
    const good = availabilityUpdate(property.units[1]!)
    const deliveries = await property.connection.push([lost, good], {})
    assert.equal(deliveries.get(lost.id)!.failure!.code, 'mapping_not_found')
    assert.deepEqual(deliveries.get(lost.id)!.acceptedRooms, [])
    assertAllAccepted(new Map([[good.id, deliveries.get(good.id)!]]), [good])
  })

  test('that name a room type without dates fail all its values', async () => {
    await using property = await openPropertyFixture({ rooms: 2 })
    const [one, other] = property.units.map((unit) => availabilityUpdate(unit))
    const room_type_id = one!.externalId
    await using unruly = await openFaultyChannex(() => ({
      status: 200,
      body: { ...accepted.body, meta: { warnings: [{ room_type_id, warning: 'is locked' }] } },
    }))
    const deliveries = await property.connect({ baseUrl: unruly.url }).push([one!, other!], {})
    assert.match(deliveries.get(one!.id)!.failure!.message, /is locked/)
    assertAllAccepted(new Map([[other!.id, deliveries.get(other!.id)!]]), [other!])
  })

  test('for every value of a large message are all applied', async () => {
    await using property = await openPropertyFixture()
    const lost = { ...property.units[0]!, externalId: 'nobody' }
    const one = updateOf(lost, {
      rooms: Array.from({ length: 20_000 }, (_, n) => ({ ...nights(1 + (n % 400)), available: n })),
    })
    const { failure, acceptedRooms } = onlyResult(await property.connection.push([one], {}))
    assert.match(failure!.message, /^Channex refused 20000 of 20000 values: room_type_id is invalid/)
    assert.deepEqual(acceptedRooms, [])
  })

  test('that name nothing known fail everything', async () => {
    await using unruly = await openFaultyChannex(() => ({
      status: 200,
      body: { data: [], meta: { message: 'Success', warnings: [{ warning: { property: ['is locked'] } }] } },
    }))
    await using property = await openPropertyFixture({ rooms: 2 })
    const updates = property.units.map((unit) => availabilityUpdate(unit))
    const deliveries = await property.connect({ baseUrl: unruly.url }).push(updates, {})
    for (const { failure, acceptedRooms } of deliveries.values()) {
      assert.match(failure!.message, /^Channex refused 1 of 1 values: property is locked/)
      assert.deepEqual(acceptedRooms, [])
    }
  })
})

suite('a message that is refused as a whole', () => {
  test('is sent again without the named updates', async () => {
    await using property = await openPropertyFixture({ rooms: 5 })
    const bad = property.units[3]!.externalId
    await using unruly = await openFaultyChannex(({ values }) =>
      values.some(({ room_type_id: id }) => id === bad)
        ? { status: 422, body: refusal({ [bad]: ['is archived'] }) }
        : accepted,
    )
    const updates = property.units.map((unit) => availabilityUpdate(unit))
    const deliveries = await property.connect({ baseUrl: unruly.url }).push(updates, {})
    assert.deepEqual(unruly.sizes, [5, 4])
    for (const { id, externalId } of updates) {
      const { failure } = deliveries.get(id)!
      assert.equal(failure?.code, externalId === bad ? 'validation_rejected' : undefined)
      if (failure) assert.match(failure.message, /is archived/)
    }
  })

  test('is bisected when the refusal names none, until the refused update is alone', async () => {
    await using property = await openPropertyFixture({ rooms: 8 })
    const bad = property.units[5]!.externalId
    await using unruly = await openFaultyChannex(({ values }) =>
      values.some(({ room_type_id: id }) => id === bad) ? { status: 422, body: refusal() } : accepted,
    )
    const updates = property.units.map((unit) => availabilityUpdate(unit))
    const deliveries = await property.connect({ baseUrl: unruly.url }).push(updates, {})
    assert.deepEqual(unruly.sizes, [8, 4, 4, 2, 2, 1, 1])
    const failed = updates.filter(({ id }) => deliveries.get(id)!.failure)
    assert.deepEqual(failed.map(({ externalId }) => externalId), [bad]) // prettier-ignore
    assert.equal(deliveries.get(failed[0]!.id)!.failure!.code, 'validation_rejected')
  })

  test('is bisected a limited number of times: the rest is retried', async () => {
    await using property = await openPropertyFixture({ rooms: 64 })
    await using unruly = await openFaultyChannex(() => ({ status: 422, body: refusal() }))
    const updates = property.units.map((unit) => availabilityUpdate(unit))
    const deliveries = await property.connect({ baseUrl: unruly.url }).push(updates, {})
    assert.ok(unruly.sizes.length <= 7, `${unruly.sizes.length} messages`)
    for (const { failure } of deliveries.values()) assert.ok(failure?.retryable, failure?.message)
  })
})
