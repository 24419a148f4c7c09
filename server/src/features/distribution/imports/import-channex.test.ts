import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { countsOf, day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'

const { opened, read, owner, settled, plan, run } = useImports()

suite('import from Channex', () => {
  test('takes over the property, and pushes nothing back', async () => {
    const channex = await startChannex()
    opened.defer(() => channex.close())
    const { api, control } = channexCaller(() => channex.url)
    const seeded = await control('POST', 'seed', {
      keys: [{ key: apiKey }],
      properties: [
        {
          title: 'Harbour House',
          currency: 'EUR',
          timezone: 'UTC',
          address: 'Quay 1',
          city: 'Porto',
          country: 'PT',
          room_types: [
            {
              title: 'Double',
              count_of_rooms: 3,
              occ_adults: 2,
              rate_plans: [{ title: 'Flexible' }, { title: 'Saver' }],
            },
            { title: 'Attic', count_of_rooms: 1, rate_plans: [] },
          ],
        },
      ],
    })
    assert.equal(seeded.status, 201)
    const [property] = seeded.body.properties
    const [double] = property.room_types
    const [flexible, saver] = double.rate_plans
    const nights = { property_id: property.id, date_from: day(0), date_to: day(499) }
    const set = async (kind: string, ...values: object[]) =>
      assert.equal((await control('POST', 'values', { kind, values })).status, 200)
    await set('availability', { ...nights, room_type_id: double.id, availability: 3 })
    await set('availability', {
      property_id: property.id,
      room_type_id: double.id,
      date: day(40),
      availability: 1,
    })
    await set('restrictions', { ...nights, rate_plan_id: flexible.id, rate: 12_000 })
    await set('restrictions', { ...nights, rate_plan_id: saver.id, rate: 10_000, min_stay_arrival: 3 })
    await set('restrictions', {
      ...{ property_id: property.id, rate_plan_id: flexible.id },
      ...{ date_from: day(50), date_to: day(59), rate: 15_500, closed_to_arrival: true },
    })

    const target = await addTarget(owner(), {
      config: { ...connection(channex.url, property.id), ...shortDebounce, ...unlimitedCalls },
    })
    const planned = await plan(target.id)
    assert.deepEqual(
      [planned.status, ...countsOf(planned)],
      ['planned', 'rate_plan create 2 0', 'space create 1 0', 'unit create 1 0', 'unit skip 1 1'],
    )
    const { import_items } = await read(`imports/${planned.id}/items?action=skip`)
    assert.deepEqual([import_items[0].name, import_items[0].reason], ['Attic', 'no_rate_plan'])

    const { last } = (await control('GET', 'calls')).body
    const done = await run(planned.id)
    assert.deepEqual(
      [done.status, ...countsOf(done)],
      ['completed', 'rate_plan create 2 2', 'space create 1 1', 'unit create 1 1', 'unit skip 1 1'],
    )
    const { channel_listings } = await read(`channel-listings?channel_target_id=${target.id}`)
    const [listing] = channel_listings
    assert.deepEqual(
      [listing.status, listing.external_id, listing.unit.status],
      ['paused', double.id, 'active'],
    )
    assert.deepEqual(
      listing.rate_plans.map(({ external_id }: { external_id: string }) => external_id),
      [flexible.id, saver.id],
    )
    const { space, base_price_cents, quantity } = (await read(`units/${listing.unit_id}`)).unit
    assert.deepEqual(
      [space.name, space.city, base_price_cents, quantity],
      ['Harbour House', 'Porto', 12_000, 3],
    )
    const { calendar } = await read(`calendar?unit_id=${listing.unit_id}&from=${day(39)}&to=${day(51)}`)
    const [{ availability, plans }] = calendar
    assert.deepEqual(
      availability.map(({ available, blocked }: Record<string, number>) => [available, blocked]),
      [
        [3, 0],
        [1, 2],
        [3, 0],
      ],
    )
    assert.deepEqual(
      plans.map(({ days }: { days: Record<string, unknown>[] }) =>
        days.map((run) => [run['price_cents'], run['min_stay_arrival'], run['closed_to_arrival']]),
      ),
      [
        [
          [12_000, 1, false],
          [15_500, 1, true],
        ],
        [[10_000, 3, false]],
      ],
    )
    await settled()
    const writes = async () =>
      (await control('GET', `calls?after=${last}`)).body.calls.filter(
        ({ method, path }: { method: string; path: string }) =>
          method !== 'GET' && !path.includes('/webhooks'),
      )
    assert.deepEqual(await writes(), [])

    const setPrice = async (price_cents: number) => {
      const night = { unit_id: listing.unit_id, date_from: day(70), date_to: day(70) }
      expectStatus(await owner().post('/api/v1/calendar', { values: [{ ...night, price_cents }] }), 201)
      await settled()
    }
    const priceAtPms = async () => {
      const nights = `filter[property_id]=${property.id}&filter[date]=${day(70)}&filter[restrictions]=rate`
      const { data } = (await api('GET', `/restrictions?${nights}`, undefined, apiKey)).body
      return data[flexible.id][day(70)].rate
    }
    for (const cents of [13_300, 12_000]) {
      await setPrice(cents)
      assert.deepEqual(await writes(), [], 'a change before going live is not sent')
    }

    // Going live compares the PMS with what was imported, and finds no difference.
    expectStatus(await owner().post(`/api/v1/imports/${planned.id}/live`), 200)
    await settled()
    const { channel_listing: live } = await read(`channel-listings/${listing.id}`)
    assert.equal(live.status, 'active')
    assert.deepEqual(await writes(), [])
    await setPrice(14_400)
    assert.equal(await priceAtPms(), '144.00', 'a change after going live is sent')
    const { proof } = await read(`sync/proof/${listing.id}?from=${day(0)}&to=${day(300)}`)
    assert.deepEqual(proof.differences, [])

    const again = await run((await plan(target.id)).id)
    assert.deepEqual(countsOf(again), ['unit match 1 1', 'unit skip 1 1'])
  })
})
