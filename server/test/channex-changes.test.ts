import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  arriving,
  channexWorld,
  decide,
  openProperty,
  plansOf,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { addPlan } from './records.ts'

const setup = channexWorld()

const of = (property: Property, room: number, plan = 0) => ({
  unit_id: property.rooms[room]!.unitId,
  rate_plan_id: property.rooms[room]!.plans[plan]!.id,
})
const over = (property: Property, room: number, plan = 0) => ({
  property_id: property.propertyId,
  rate_plan_id: property.rooms[room]!.plans[plan]!.externalId,
})
const nights = (property: Property, from: number, to = from) => ({
  date_from: property.day(from),
  date_to: property.day(to),
})

/** One change by a user sends exactly these values, in one message. */
async function valuesSentFor(...values: object[]) {
  const { availability, restrictions, content } = await arriving(setup, () => decide(setup, ...values))
  assert.deepEqual([availability.length, content.length], [0, 0])
  return valuesOfOne(restrictions)
}

suite('Channex certification: one action is one call', () => {
  test('one price for one night is one value with only the price', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 2 })
    const date = nights(property, 40)
    assert.deepEqual(await valuesSentFor({ ...of(property, 0), ...date, price_cents: 33_300 }), [
      { ...over(property, 0), ...date, rate: 33_300 },
    ])
    const { plans } = await shownBy(setup, property, property.day(39), property.day(41))
    const shown = Object.values(plans[property.rooms[0]!.plans[0]!.externalId]!).map(({ rate }) => rate)
    assert.deepEqual(shown, ['100.00', '333.00', '100.00'])
  })

  test('several prices of several plans and rooms are one call', async () => {
    const property = await openProperty(setup, { rooms: 3, plans: 2 })
    const changes = [
      [0, 0, 21, 21, 33_300],
      [1, 1, 25, 25, 44_400],
      [2, 0, 29, 31, 55_500],
    ] as const
    const values = await valuesSentFor(
      ...changes.map(([room, plan, from, to, price_cents]) => ({
        ...of(property, room, plan),
        ...nights(property, from, to),
        price_cents,
      })),
    )
    const expected = changes.map(([room, plan, from, to, rate]) => ({
      ...over(property, room, plan),
      ...nights(property, from, to),
      rate,
    }))
    assert.deepEqual(inOrder(values), inOrder(expected))
  })

  test('prices of different plans for the same weeks are one call, a value for each', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 2 })
    const values = await valuesSentFor(
      ...[0, 1].flatMap((room) =>
        [0, 1].map((plan) => ({
          ...of(property, room, plan),
          ...nights(property, 10, 40),
          price_cents: 20_000 + 1_000 * room + 100 * plan,
        })),
      ),
    )
    assert.equal(values.length, 4)
    assert.deepEqual(values.map(({ rate }) => rate).sort(), [20_000, 20_100, 21_000, 21_100])
  })

  test('half a year of prices and stays of two rooms is one call of two ranges', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const span = nights(property, 14, 196)
    const values = await valuesSentFor(
      { ...of(property, 0), ...span, price_cents: 43_200, min_stay_arrival: 2 },
      { ...of(property, 1), ...span, price_cents: 34_200, closed_to_departure: true },
    )
    assert.deepEqual(
      inOrder(values),
      inOrder([
        { ...over(property, 0), ...span, rate: 43_200, min_stay_arrival: 2 },
        { ...over(property, 1), ...span, rate: 34_200, closed_to_departure: true },
      ]),
    )
  })

  test('a stop sell of one plan is one value, and so is its end', async () => {
    const property = await openProperty(setup, { plans: 2 })
    const span = nights(property, 14, 16)
    for (const stop_sell of [true, false])
      assert.deepEqual(await valuesSentFor({ ...of(property, 0, 1), ...span, stop_sell }), [
        { ...over(property, 0, 1), ...span, stop_sell },
      ])
  })

  test('restrictions of one change are one value', async () => {
    const property = await openProperty(setup)
    const span = nights(property, 14, 29)
    const terms = {
      min_stay_arrival: 4,
      min_stay_through: 2,
      max_stay: 9,
      closed_to_arrival: true,
      closed_to_departure: true,
    }
    assert.deepEqual(await valuesSentFor({ ...of(property, 0), ...span, ...terms }), [
      { ...over(property, 0), ...span, ...terms },
    ])
    const back = Object.fromEntries(Object.keys(terms).map((name) => [name, null]))
    assert.deepEqual(await valuesSentFor({ ...of(property, 0), ...span, ...back }), [
      {
        ...over(property, 0),
        ...span,
        min_stay_arrival: 1,
        min_stay_through: 1,
        max_stay: 0,
        closed_to_arrival: false,
        closed_to_departure: false,
      },
    ])
  })

  test('weekends of two months are one call, with a range for each', async () => {
    const property = await openProperty(setup)
    const span = nights(property, 7, 62)
    const values = await valuesSentFor({
      ...of(property, 0),
      ...span,
      weekdays: ['fri', 'sat'],
      price_cents: 19_900,
    })
    assert.ok(values.length >= 8 && values.length <= 9, `${values.length} values`)
    const { plans } = await shownBy(setup, property, span.date_from, span.date_to)
    for (const [date, { rate }] of Object.entries(plans[property.rooms[0]!.plans[0]!.externalId]!))
      assert.equal(rate, [5, 6].includes(new Date(date).getUTCDay()) ? '199.00' : '100.00', date)
  })

  test('unchanged values are not sent', async () => {
    const property = await openProperty(setup)
    const span = { ...of(property, 0), ...nights(property, 14, 16) }
    await valuesSentFor({ ...span, price_cents: 33_300 })
    const again = await arriving(setup, () => decide(setup, { ...span, price_cents: 33_300 }))
    assert.deepEqual([again.availability, again.restrictions, again.content], [[], [], []])
    const wider = { ...span, ...nights(property, 13, 17), price_cents: 33_300, max_stay: 5 }
    const rates = (await valuesSentFor(wider)).map(({ rate }) => rate)
    assert.deepEqual(rates, [33_300, undefined, 33_300])
  })

  test('a new base price is one value for each range that uses it', async () => {
    const property = await openProperty(setup)
    const [room] = property.rooms
    await valuesSentFor({ ...of(property, 0), ...nights(property, 100, 119), price_cents: 33_300 })
    const { restrictions } = await arriving(setup, () =>
      setup.owner.patch(`/api/v1/units/${room!.unitId}`, { base_price_cents: 12_000 }),
    )
    assert.deepEqual(inOrder(valuesOfOne(restrictions)), [
      { ...over(property, 0), ...nights(property, 0, 99), rate: 12_000 },
      { ...over(property, 0), ...nights(property, 120, 499), rate: 12_000 },
    ])
  })
})

suite('Channex certification: added and removed rate plans', () => {
  test('a plan that is linked later gets its 500 nights, and other plans keep their ids', async () => {
    const property = await openProperty(setup)
    const [room] = property.rooms
    const plan = await addPlan(setup.owner, { unit_id: room!.unitId, name: 'Breakfast' })
    const rate_plan = {
      property_id: property.propertyId,
      room_type_id: room!.roomTypeId,
      title: 'Breakfast, later',
      options: [{ occupancy: 2, is_primary: true, rate: 1 }],
    }
    const { data } = (await setup.api('POST', '/rate_plans', { rate_plan })).body
    await decide(setup, {
      unit_id: room!.unitId,
      rate_plan_id: plan.id,
      ...nights(property, 0, 499),
      price_cents: 13_300,
    })
    const mapped = [...room!.plans, { id: plan.id, externalId: data.id }]
    const { restrictions } = await arriving(setup, async () =>
      expectStatus(
        await setup.owner.put(`/api/v1/channel-listings/${room!.listingId}`, {
          unit_id: room!.unitId,
          channel_target_id: property.targetId,
          external_id: room!.roomTypeId,
          rate_plans: mapped.map(({ id, externalId }) => ({ rate_plan_id: id, external_id: externalId })),
        }),
        200,
      ),
    )
    const values = valuesOfOne(restrictions)
    const later = values.filter(({ rate_plan_id }) => rate_plan_id === data.id)
    assert.deepEqual(
      later.map(({ date_from, date_to, rate }) => [date_from, date_to, rate]),
      [[property.day(0), property.day(499), 13_300]],
    )
    assert.equal((await plansOf(setup.owner, room!.unitId)).length, 2)
    const { plans } = await shownBy(setup, property, property.day(5))
    assert.equal(plans[data.id]![property.day(5)]!['rate'], '133.00')
    assert.equal(plans[room!.plans[0]!.externalId]![property.day(5)]!['rate'], '100.00')
  })

  test('an inactive plan is stopped on every night', async () => {
    const property = await openProperty(setup, { plans: 2 })
    const { restrictions } = await arriving(setup, async () =>
      expectStatus(
        await setup.owner.patch(`/api/v1/rate-plans/${property.rooms[0]!.plans[1]!.id}`, {
          status: 'inactive',
        }),
        200,
      ),
    )
    assert.deepEqual(valuesOfOne(restrictions), [
      { ...over(property, 0, 1), ...nights(property, 0, 499), stop_sell: true },
    ])
  })
})

const inOrder = (values: readonly object[]) =>
  [...values].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
