import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  arriving,
  channexWorld,
  decide,
  goLive,
  openProperty,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'

const setup = channexWorld()

const restrictions = [
  'closed_to_arrival',
  'closed_to_departure',
  'max_stay',
  'min_stay_arrival',
  'min_stay_through',
  'rate',
  'stop_sell',
]

/** Sets different values for each plan and most ranges of nights. */
const decideMuch = (property: Property) =>
  decide(
    setup,
    ...property.rooms.flatMap(({ unitId, plans }, room) => [
      { unit_id: unitId, date_from: property.day(20 + room), date_to: property.day(29), blocked: 1 + room },
      ...plans.flatMap(({ id }, plan) => [
        {
          unit_id: unitId,
          rate_plan_id: id,
          date_from: property.day(0),
          date_to: property.day(499),
          weekdays: ['fri', 'sat'],
          price_cents: 15_000 + 1_000 * room + 100 * plan,
        },
        {
          unit_id: unitId,
          rate_plan_id: id,
          date_from: property.day(100),
          date_to: property.day(130 + plan),
          min_stay_arrival: 3 + plan,
          min_stay_through: 2,
          max_stay: 14 + room,
          closed_to_arrival: plan === 0,
          closed_to_departure: plan === 1,
          stop_sell: room === 1,
        },
      ]),
    ]),
  )

/** The values that were sent for each night of each id; fails when a night was sent twice. */
function nightsSent(values: Record<string, unknown>[], idName: string) {
  const byId = new Map<string, Map<string, Record<string, unknown>>>()
  for (const value of values) {
    const nights = byId.get(String(value[idName])) ?? new Map<string, Record<string, unknown>>()
    byId.set(String(value[idName]), nights)
    const { date_from: from, date_to: to } = value as { date_from: string; date_to: string }
    for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
      const date = new Date(at).toISOString().slice(0, 10)
      assert.ok(!nights.has(date), `${date} was sent twice`)
      nights.set(date, value)
    }
  }
  return byId
}

suite('Channex certification: a full sync', () => {
  test('the first push is 500 days of every room type and rate plan in exactly two calls', async () => {
    const property = await openProperty(setup, { rooms: 3, plans: 2, live: false })
    await decideMuch(property)
    const {
      availability,
      restrictions: stays,
      content,
    } = await arriving(setup, () => goLive(setup, property))

    const rooms = nightsSent(valuesOfOne(availability), 'room_type_id')
    assert.deepEqual([...rooms.keys()].sort(), property.rooms.map(({ roomTypeId }) => roomTypeId).sort())
    const plans = nightsSent(valuesOfOne(stays), 'rate_plan_id')
    const externalIds = property.rooms.flatMap(({ plans }) => plans.map(({ externalId }) => externalId))
    assert.deepEqual([...plans.keys()].sort(), externalIds.sort())
    for (const nights of [...rooms.values(), ...plans.values()]) {
      const dates = [...nights.keys()].sort()
      assert.deepEqual([dates.length, dates[0], dates.at(-1)], [500, property.day(0), property.day(499)])
    }
    const distinct = (name: string, values: Record<string, unknown>[]) =>
      new Set(values.map((value) => value[name])).size
    assert.ok(distinct('availability', valuesOfOne(availability)) >= 3)
    assert.ok(distinct('rate', valuesOfOne(stays)) >= 6)
    assert.ok(content.every(({ method }) => method === 'PUT'))
  })

  test('every object has all seven restrictions, defaults included', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 2, live: false })
    await decideMuch(property)
    const values = valuesOfOne((await arriving(setup, () => goLive(setup, property))).restrictions)
    const whereAndWhen = ['date_from', 'date_to', 'property_id', 'rate_plan_id']
    for (const value of values)
      assert.deepEqual(Object.keys(value).sort(), [...whereAndWhen, ...restrictions].sort())
    const plain = values.find(
      ({ date_from }) => date_from === property.day(499) || date_from === property.day(0),
    )!
    assert.deepEqual(
      restrictions.filter((name) => name !== 'rate').map((name) => plain[name]),
      [false, false, 0, 1, 1, false],
    )
  })

  test('afterwards Channex shows every night as desired, and it is verified', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 2, live: false })
    await decideMuch(property)
    await arriving(setup, () => goLive(setup, property))
    const { rooms, plans } = await shownBy(setup, property, property.day(0), property.day(499))
    const [room, closed] = property.rooms as [Property['rooms'][0], Property['rooms'][0]]
    const shown = rooms[room.roomTypeId]!
    assert.deepEqual([shown[property.day(19)], shown[property.day(20)], shown[property.day(30)]], [3, 2, 3])
    const { availability_offset: _, ...night } = plans[closed.plans[1]!.externalId]![property.day(131)]!
    const isWeekend = [5, 6].includes(new Date(property.day(131)).getUTCDay())
    assert.deepEqual(night, {
      rate: isWeekend ? '161.00' : '110.00',
      min_stay_arrival: 4,
      min_stay_through: 2,
      max_stay: 15,
      closed_to_arrival: false,
      closed_to_departure: true,
      stop_sell: true,
    })
    for (const { listingId } of property.rooms) {
      const { proof } = expectStatus(await setup.owner.get(`/api/v1/sync/proof/${listingId}`), 200)
      assert.deepEqual([proof.in_sync, proof.differences, proof.error_message], [true, [], null])
      const { channel_listing } = (await setup.owner.get(`/api/v1/channel-listings/${listingId}`)).body
      assert.equal(channel_listing.status, 'active')
    }
  })

  test('a replay is two calls again, and every id stays', async () => {
    const property = await openProperty(setup, { rooms: 3, plans: 2 })
    const before = await everything(property)
    const { availability, restrictions, content } = await arriving(setup, async () =>
      expectStatus(
        await setup.owner.post('/api/v1/sync/replays', { channel_target_id: property.targetId }),
        201,
      ),
    )
    assert.deepEqual([availability.length, restrictions.length, content.length], [1, 1, 0])
    assert.equal(nightsSent(valuesOfOne(restrictions), 'rate_plan_id').size, 6)
    assert.deepEqual(await everything(property), before)
  })

  test('a full sync of one listing contains only that listing', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 1 })
    const [first] = property.rooms
    const { availability, restrictions } = await arriving(setup, async () =>
      expectStatus(
        await setup.owner.post('/api/v1/sync/trigger', {
          channel_listing_id: first!.listingId,
          mode: 'full',
        }),
        201,
      ),
    )
    assert.deepEqual([...nightsSent(valuesOfOne(availability), 'room_type_id').keys()], [first!.roomTypeId])
    assert.deepEqual(
      [...nightsSent(valuesOfOne(restrictions), 'rate_plan_id').keys()],
      [first!.plans[0]!.externalId],
    )
  })
})

/** The ids of all rooms and plans at Channex, and the ids that we store. */
async function everything({ propertyId, rooms }: Property) {
  const ids = async (collection: string) => {
    const query = `filter[property_id]=${propertyId}&pagination[limit]=100`
    const { body } = await setup.api('GET', `/${collection}?${query}`)
    return body.data.map(({ id }: { id: string }) => id).sort()
  }
  const listings = await Promise.all(
    rooms.map(({ listingId }) => setup.owner.get(`/api/v1/channel-listings/${listingId}`)),
  )
  return {
    room_types: await ids('room_types'),
    rate_plans: await ids('rate_plans'),
    ours: listings.map(({ body: { channel_listing } }) => [
      channel_listing.external_id,
      channel_listing.rate_plans,
    ]),
  }
}
