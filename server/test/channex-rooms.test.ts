import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, rows } from '#db/scope.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { insertStays } from '#seed/queries.ts'
import { directStay } from '#seed/stays.ts'
import {
  arriving,
  channexWorld,
  decide,
  openProperty,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { shortDebounce, statusOf, until } from './linked-units.ts'
import { localDay } from './local-days.ts'

const setup = channexWorld()

const nights = (property: Property, from: number, to = from) => ({
  date_from: property.day(from),
  date_to: property.day(to),
})
const over = (property: Property, room = 0) => ({
  property_id: property.propertyId,
  room_type_id: property.rooms[room]!.roomTypeId,
})

/** The values of the one message about rooms that the work causes, and that it causes none about prices. */
async function roomValuesSentFor(work: () => Promise<unknown>) {
  const { availability, restrictions } = await arriving(setup, work)
  assert.equal(restrictions.length, 0)
  return valuesOfOne(availability)
}

/** A stay as a booking leaves it, and its end, until bookings have doors of their own. */
async function changeStays(
  property: Property,
  change: (scope: Parameters<typeof insertStays>[0]) => Promise<unknown>,
) {
  const { database } = setup.world.resources
  const { id: orgId, accountId } = setup.world.home
  const actor = { type: 'user' as const, id: 'test', name: 'Test' }
  await atomically({ orgId, accountId, actor, traceparent: null, database }, async (transaction) => {
    await change(transaction)
    const concern = {
      unitId: property.rooms[0]!.unitId,
      nights: { from: property.day(0), to: property.day(60) },
    }
    await requestSync(transaction, concern, 'change')
  })
}

const book = (property: Property, arrival: number, count: number) =>
  changeStays(property, (scope) =>
    insertStays(scope, [
      directStay({
        ...{ unit_id: property.rooms[0]!.unitId, guest_name: 'Ada Guest', guests: 2, total_cents: 24_000 },
        ...{ arrival: property.day(arrival), nights: count },
      }),
    ]),
  )

const cancelAll = (property: Property) =>
  changeStays(property, (scope) =>
    rows(
      scope,
      sql`update bookings set status = 'cancelled' where unit_id = ${property.rooms[0]!.unitId}::uuid`,
    ),
  )

suite('Channex certification: rooms', () => {
  test('a booking sends the remaining rooms of its nights in one call, and so does a cancellation', async () => {
    const property = await openProperty(setup, { quantity: 8 })
    const stay = nights(property, 10, 12)
    assert.deepEqual(await roomValuesSentFor(() => book(property, 10, 3)), [
      { ...over(property), ...stay, availability: 7 },
    ])
    assert.deepEqual(await roomValuesSentFor(() => book(property, 12, 1)), [
      { ...over(property), ...nights(property, 12), availability: 6 },
    ])
    assert.deepEqual(
      (await roomValuesSentFor(() => cancelAll(property))).map(({ availability }) => availability),
      [8],
    )
    const { rooms } = await shownBy(setup, property, property.day(9), property.day(13))
    assert.deepEqual(new Set(Object.values(rooms[property.rooms[0]!.roomTypeId]!)), new Set([8]))
  })

  test('blocked rooms are one call with the absolute number, and so is their release', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 5 })
    const block = { unit_id: property.rooms[1]!.unitId, ...nights(property, 5, 9) }
    assert.deepEqual(
      await roomValuesSentFor(() => decide(setup, { ...block, blocked: 2, reason: 'Paint' })),
      [{ ...over(property, 1), ...nights(property, 5, 9), availability: 3 }],
    )
    assert.deepEqual(await roomValuesSentFor(() => decide(setup, { ...block, blocked: 0 })), [
      { ...over(property, 1), ...nights(property, 5, 9), availability: 5 },
    ])
  })

  test('availability never exceeds the free rooms with bookings and blocks together', async () => {
    const property = await openProperty(setup, { quantity: 2 })
    await roomValuesSentFor(() => book(property, 10, 2))
    const block = { unit_id: property.rooms[0]!.unitId, ...nights(property, 11), blocked: 2 }
    assert.deepEqual(await roomValuesSentFor(() => decide(setup, block)), [
      { ...over(property), ...nights(property, 11), availability: 0 },
    ])
  })

  test('a new quantity is one call for all nights, and updates the room type', async () => {
    const property = await openProperty(setup, { quantity: 3 })
    const [room] = property.rooms
    const { availability, restrictions, content } = await arriving(setup, () =>
      setup.owner.patch(`/api/v1/units/${room!.unitId}`, { quantity: 4 }),
    )
    assert.deepEqual(valuesOfOne(availability), [
      { ...over(property), ...nights(property, 0, 499), availability: 4 },
    ])
    assert.equal(restrictions.length, 0)
    assert.deepEqual(
      content.map(({ method, path, body }) => [method, path, body['room_type']!['count_of_rooms']]),
      [['PUT', `/api/v1/room_types/${room!.roomTypeId}`, 4]],
    )
  })

  test('an inactive unit has no rooms, and an active one has them again', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 3 })
    for (const [status, availability] of [
      ['inactive', 0],
      ['active', 3],
    ])
      assert.deepEqual(
        await roomValuesSentFor(async () =>
          expectStatus(
            await setup.owner.patch(`/api/v1/units/${property.rooms[0]!.unitId}`, { status }),
            200,
          ),
        ),
        [{ ...over(property), ...nights(property, 0, 499), availability }],
      )
  })

  test('an inactive space closes all its units in one call', async () => {
    const property = await openProperty(setup, { rooms: 3 })
    const values = await roomValuesSentFor(() =>
      setup.owner.patch(`/api/v1/spaces/${property.spaceId}`, { status: 'inactive' }),
    )
    assert.deepEqual(
      values.map(({ availability, date_from, date_to }) => [availability, date_from, date_to]),
      Array(3).fill([0, property.day(0), property.day(499)]),
    )
  })
})

/** Longer than the test takes, so that rooms are due together whether or not they were pushed before. */
const longDebounce = { debounce_ms: 10_000 }

suite('Channex certification: stop selling everything', () => {
  test('is one call that stops every plan on every night, and lifting it restores the values', async () => {
    const property = await openProperty(setup, { rooms: 2, plans: 2, config: longDebounce })
    const [room] = property.rooms
    await arriving(setup, () =>
      decide(setup, {
        unit_id: room!.unitId,
        ...nights(property, 10, 19),
        stop_sell: true,
        price_cents: 15_000,
      }),
    )
    const everyNight = () => shownBy(setup, property, property.day(0), property.day(499))
    const before = await everyNight()
    let stopId = ''
    const stopped = await arriving(setup, async () => {
      const body = { space_id: property.spaceId, reason: 'Flood' }
      stopId = expectStatus(await setup.owner.post('/api/v1/sales-stops', body), 201).sales_stop.id
    })
    assert.deepEqual([stopped.availability, stopped.content], [[], []])
    const values = valuesOfOne(stopped.restrictions)
    // A night that is already closed is not sent again.
    assert.deepEqual([values.length, values.every(({ stop_sell }) => stop_sell === true)], [5, true])
    const { plans } = await everyNight()
    for (const shown of Object.values(plans))
      for (const [date, { stop_sell }] of Object.entries(shown)) assert.equal(stop_sell, true, date)

    const resumed = await arriving(setup, async () =>
      expectStatus(await setup.owner.delete(`/api/v1/sales-stops/${stopId}`), 204),
    )
    assert.equal(valuesOfOne(resumed.restrictions).length, 5)
    assert.deepEqual(await everyNight(), before)
  })
})

suite('Channex certification: local dates of the property', () => {
  for (const timezone of ['Pacific/Kiritimati', 'Etc/GMT+12'])
    test(`nothing past is sent where the day is another than ours: ${timezone}`, async () => {
      const property = await openProperty(setup, { timezone, live: false })
      const today = localDay(timezone, 0)
      const { availability, restrictions } = await arriving(setup, async () => {
        const path = `/api/v1/channel-targets/${property.targetId}`
        const { channel_type, name, config } = (await setup.owner.get(path)).body.channel_target
        await setup.owner.put(path, { channel_type, name, config, status: 'active' })
      })
      for (const [value] of [valuesOfOne(availability), valuesOfOne(restrictions)])
        assert.deepEqual([value!['date_from'], value!['date_to']], [today, localDay(timezone, 499)])
      // A range that began days ago is sent from today on.
      const unit_id = property.rooms[0]!.unitId
      const late = await arriving(setup, () =>
        decide(setup, { unit_id, ...nights(property, -5, 2), price_cents: 7_700 }),
      )
      assert.deepEqual(
        valuesOfOne(late.restrictions).map(({ date_from, date_to }) => [date_from, date_to]),
        [[today, localDay(timezone, 2)]],
      )
      const { proof } = (await setup.owner.get(`/api/v1/sync/proof/${property.rooms[0]!.listingId}`)).body
      assert.deepEqual([proof.in_sync, proof.desired[0].date_from], [true, today])
    })

  test('a space that moves to a zone where it is still an earlier day fails no listing', async () => {
    const property = await openProperty(setup, { timezone: 'Pacific/Kiritimati', config: shortDebounce })
    const timezone = 'Etc/GMT+12'
    expectStatus(await setup.owner.patch(`/api/v1/spaces/${property.spaceId}`, { timezone }), 200)
    const [room] = property.rooms
    const { status } = await until(
      () => statusOf(setup.owner, room!),
      ({ status, in_sync }) => status === 'failed' || in_sync,
    )
    assert.equal(status, 'completed')
    const { alerts } = (await setup.owner.get(`/api/v1/alerts?channel_target_id=${property.targetId}`)).body
    assert.deepEqual(alerts, [])
    const today = localDay(timezone, 0)
    assert.equal((await shownBy(setup, property, today)).rooms[room!.roomTypeId]![today], 3)
  })
})
