import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { connection as hostawayConnection } from '#test/hostaway-live.ts'
import { countsOf, day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, owner, read, plan, run, occupied } = useImports()

/** A property of Channex with one type of rooms, and a target for it. */
async function startProperty(count = 3) {
  const channex = await startChannex()
  opened.defer(() => channex.close())
  const { api, control } = channexCaller(() => channex.url)
  const room = { title: 'Double', count_of_rooms: count, rate_plans: [{ title: 'Flexible' }] }
  const seeded = await control('POST', 'seed', {
    keys: [{ key: apiKey }],
    properties: [{ title: 'Harbour House', currency: 'EUR', timezone: 'UTC', room_types: [room] }],
  })
  const [{ id: property, room_types }] = seeded.body.properties
  const [{ id: roomId, rate_plans }] = room_types
  const nights = { property_id: property, date_from: day(0), date_to: day(499) }
  const values = [{ ...nights, rate_plan_id: rate_plans[0].id, rate: 12_000 }]
  assert.equal((await control('POST', 'values', { kind: 'restrictions', values })).status, 200)
  const config = { ...connection(channex.url, property), ...shortDebounce, ...unlimitedCalls }
  return {
    property: property as string,
    roomId: roomId as string,
    planId: rate_plans[0].id as string,
    target: await addTarget(owner(), { config }),
    control,
    async change(method: string, path: string, body?: object) {
      const { status } = await api(method, path, body, apiKey)
      assert.ok(status < 300, String(status))
    },
  }
}

suite('a PMS that has sold a room twice', () => {
  test('the nights of the booking that does not fit are blocked once, and free when it fits', async () => {
    const { target, property, roomId, planId, control } = await startProperty(1)
    const room = { property_id: property, room_type_id: roomId }
    const availability = [
      { ...room, date_from: day(0), date_to: day(499), availability: 1 },
      { ...room, date_from: day(10), date_to: day(14), availability: 0 },
    ]
    assert.equal(
      (await control('POST', 'values', { kind: 'availability', values: availability })).status,
      200,
    )
    for (const [from, to] of [
      [10, 13],
      [12, 15],
    ] as const) {
      const dates = { checkin_date: day(from), checkout_date: day(to) }
      const line = { ...dates, room_type_id: roomId, rate_plan_id: planId, amount: '300.00' }
      const guest = { name: 'Ada', surname: `L${from}` }
      const rooms = [{ ...line, occupancy: { adults: 2, children: 0, infants: 0 } }]
      const body = { property_id: property, ota_name: 'Booking.com', currency: 'EUR', amount: '300.00' }
      assert.equal((await control('POST', 'bookings', { ...body, customer: guest, rooms })).status, 201)
    }
    const { id } = await plan(target.id)
    assert.equal((await run(id)).status, 'completed')
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    const { unit_id } = channel_listings[0]
    assert.deepEqual(await occupied(unit_id), [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ])
    const { bookings } = await read(`bookings?unit_id=${unit_id}`)
    expectStatus(await owner().patch(`/api/v1/bookings/${bookings[0].id}`, { status: 'cancelled' }), 200)
    const { booking_conflicts } = await read(`booking-conflicts?channel_target_id=${target.id}`)
    expectStatus(await owner().post(`/api/v1/booking-conflicts/${booking_conflicts[0].id}/retry`), 201)
    const taken = (await occupied(unit_id)).filter(([booked]) => booked > 0)
    assert.deepEqual(taken, [[1, 0]])
  })
})

suite('what was changed at the PMS after the plan', () => {
  test('an import whose only room was removed ends', async () => {
    const { target, roomId, change } = await startProperty()
    const { id } = await plan(target.id)
    await change('DELETE', `/room_types/${roomId}`)
    const done = await run(id)
    assert.deepEqual(
      [done.status, ...countsOf(done)],
      ['completed', 'rate_plan skip 1 1', 'space skip 1 1', 'unit skip 1 1'],
    )
  })

  test('a room is made as it is now, so that its figures are not sent back', async () => {
    const { target, property, roomId, planId, change } = await startProperty()
    const { id } = await plan(target.id)
    await change('PUT', `/room_types/${roomId}`, { room_type: { title: 'Twin', count_of_rooms: 2 } })
    await change('PUT', `/properties/${property}`, { property: { currency: 'USD', city: 'Faro' } })
    await change('PUT', `/rate_plans/${planId}`, { rate_plan: { currency: 'USD' } })
    const added = { property_id: property, title: 'Attic', count_of_rooms: 1, occ_adults: 2 }
    await change('POST', '/room_types', { room_type: { ...added, ...noChildren } })
    const done = await run(id)
    assert.deepEqual(
      [done.status, ...countsOf(done)],
      ['completed', 'rate_plan create 1 1', 'space create 1 1', 'unit create 1 1'],
      'a room that was added is of the next import',
    )
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    const { unit } = await read(`units/${channel_listings[0].unit_id}`)
    assert.deepEqual([unit.name, unit.quantity, unit.currency], ['Twin', 2, 'usd'])
    assert.deepEqual([unit.space.city, unit.space.currency], ['Faro', 'usd'])
    const { preview } = await read(`sync/preview/${channel_listings[0].id}`)
    assert.deepEqual(preview.content, [])
  })

  test('a listing of Hostaway has the price, currency and address that it has now', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const loft = await hostaway.addListing({ name: 'Loft', price: 100, address: 'Molo 3' })
    const target = await addTarget(owner(), {
      config: { ...hostawayConnection(hostaway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const { id } = await plan(target.id)
    const changed = { price: 120, currencyCode: 'USD', address: 'Molo 4' }
    assert.equal((await hostaway.call('PUT', `/listings/${loft}`, changed)).status, 200)
    const done = await run(id)
    assert.deepEqual(
      [done.status, ...countsOf(done)],
      ['completed', 'space create 1 1', 'space skip 1 1', 'unit create 1 1'],
    )
    const { units } = await read('units?q=Loft')
    const [{ base_price_cents, currency, space }] = units
    assert.deepEqual([base_price_cents, currency, space.name], [12_000, 'usd', 'Loft'])
  })
})

const noChildren = { occ_children: 0, occ_infants: 0, default_occupancy: 2 }
