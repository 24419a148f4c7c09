import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { connection as hostawayConnection } from '#test/hostaway-live.ts'
import { countsOf, day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, owner, read, plan, run } = useImports()

/** A property of Channex with one room of three, and a target for it. */
async function startProperty() {
  const channex = await startChannex()
  opened.defer(() => channex.close())
  const { api, control } = channexCaller(() => channex.url)
  const room = { title: 'Double', count_of_rooms: 3, rate_plans: [{ title: 'Flexible' }] }
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
    async change(method: string, path: string, body?: object) {
      const { status } = await api(method, path, body, apiKey)
      assert.ok(status < 300, String(status))
    },
  }
}

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
