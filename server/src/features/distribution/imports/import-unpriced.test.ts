import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, read, owner, settled, plan, run } = useImports()

suite('nights that have no price at the PMS', () => {
  test('are not sold for nothing after an import, and a full sync is accepted', async () => {
    const channex = await startChannex()
    opened.defer(() => channex.close())
    const { control } = channexCaller(() => channex.url)
    const room = { title: 'Double', count_of_rooms: 3, occ_adults: 2, rate_plans: [{ title: 'Flexible' }] }
    const seeded = await control('POST', 'seed', {
      keys: [{ key: apiKey }],
      properties: [{ title: 'Harbour House', currency: 'EUR', timezone: 'UTC', room_types: [room] }],
    })
    const [property] = seeded.body.properties
    const [double] = property.room_types
    const [flexible] = double.rate_plans
    const set = async (kind: string, lastNight: number, values: object) => {
      const nights = { property_id: property.id, date_from: day(0), date_to: day(lastNight) }
      const sent = await control('POST', 'values', { kind, values: [{ ...nights, ...values }] })
      assert.equal(sent.status, 200)
    }
    // As at Channex: rooms are opened for longer than there are prices.
    await set('availability', 499, { room_type_id: double.id, availability: 3 })
    await set('restrictions', 99, { rate_plan_id: flexible.id, rate: 12_000 })

    const target = await addTarget(owner(), {
      config: { ...connection(channex.url, property.id), ...shortDebounce, ...unlimitedCalls },
    })
    const { id } = await run((await plan(target.id)).id)
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    const [{ id: listingId, unit_id }] = channel_listings
    const quote = (from: number) =>
      owner().post('/api/v1/quotes', { unit_id, check_in: day(from), check_out: day(from + 2), guests: 2 })
    assert.equal(expectStatus(await quote(50), 201).quote.total_cents, 24_000)
    assert.equal(expectStatus(await quote(200), 409).code, 'dates-unavailable')

    expectStatus(await owner().post(`/api/v1/imports/${id}/live`), 200)
    await settled()
    expectStatus(
      await owner().post('/api/v1/sync/trigger', { channel_listing_id: listingId, mode: 'full' }),
      201,
    )
    await settled()
    const { channel_listing: live } = await read(`channel-listings/${listingId}`)
    assert.deepEqual([live.status, live.error_message], ['active', null])
  })
})
