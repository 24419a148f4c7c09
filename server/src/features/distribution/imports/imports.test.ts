import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import type { TestCaller } from '../../../../test/caller.ts'
import { apiKey, connection as channexConnection } from '../../../../test/channex-live.ts'
import { expectStatus } from '../../../../test/expect.ts'
import { connection as hostawayConnection } from '../../../../test/hostaway-live.ts'
import { shortDebounce, unlimitedCalls, until } from '../../../../test/linked-units.ts'
import { addTarget } from '../../../../test/records.ts'
import { picture } from '../../../../test/uploads.ts'
import { openWorld, type World } from '../../../../test/world.ts'

const opened = new AsyncDisposableStack()
let world: World
let owner: TestCaller
before(async () => {
  world = opened.use(await openWorld({ workers: true }))
  owner = await world.home.as('owner')
})
after(() => opened.disposeAsync())

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const read = async (path: string) => expectStatus(await owner.get(`/api/v1/${path}`), 200)
const ended = (id: string) =>
  until(
    async () => (await read(`imports/${id}`)).import as ImportRecord,
    ({ status }) => !['planning', 'running'].includes(status),
    30,
  )

interface ImportRecord {
  id: string
  status: string
  counts: Count[]
  bookings_imported: number
  error_message: string | null
}

async function plan(targetId: string, include?: string[]) {
  const reply = await owner.post('/api/v1/imports', {
    channel_target_id: targetId,
    ...(include && { include }),
  })
  return await ended(expectStatus(reply, 201).import.id)
}

async function run(id: string) {
  expectStatus(await owner.post(`/api/v1/imports/${id}/run`), 200)
  return await ended(id)
}

type Count = Record<'kind' | 'action', string> & Record<'total' | 'done', number>
const countsOf = ({ counts }: { counts: Count[] }) =>
  counts.map(({ kind, action, total, done }) => [kind, action, total, done].join(' '))

suite('import from Channex', () => {
  test('takes over the property, and pushes nothing back', async () => {
    const channex = await startChannex()
    opened.defer(() => channex.close())
    const { control } = channexCaller(() => channex.url)
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

    const target = await addTarget(owner, {
      config: { ...channexConnection(channex.url, property.id), ...shortDebounce, ...unlimitedCalls },
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
    await world.settled()
    const writes = async () =>
      (await control('GET', `calls?after=${last}`)).body.calls.filter(
        ({ method, path }: { method: string; path: string }) =>
          method !== 'GET' && !path.includes('/webhooks'),
      )
    assert.deepEqual(await writes(), [])

    // Going live compares the PMS with what was imported, and finds no difference.
    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}/pause`), 204)
    await world.settled()
    assert.deepEqual(await writes(), [])
    const { proof } = await read(`sync/proof/${listing.id}?from=${day(0)}&to=${day(300)}`)
    assert.deepEqual(proof.differences, [])

    const again = await run((await plan(target.id)).id)
    assert.deepEqual(countsOf(again), ['unit match 1 1', 'unit skip 1 1'])
  })
})

suite('import from Hostaway', () => {
  test('takes over listings, bookings, closed nights and photos', async () => {
    const photos = await startPhotoServer()
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    const place = { address: 'Via Cavour 4', city: 'Lucca' }
    const listingImages = [
      { url: `${photos}/front.png`, caption: 'Front', sortOrder: 1 },
      { url: `${photos}/missing.png`, sortOrder: 2 },
    ]
    const ids: number[] = []
    for (const listing of [
      { name: 'Loft 1', listingImages },
      { name: 'Loft 2' },
      { name: 'Barn', address: 'Via Roma 1', price: 80 },
      { name: 'Old', specialStatus: 'archived' },
    ])
      ids.push(await hostaway.addListing({ ...place, ...listing }))
    const [loft] = ids as [number]
    await hostaway.write(loft, [
      { startDate: day(20), endDate: day(22), isAvailable: 0 },
      { startDate: day(60), endDate: day(69), price: 300, minimumStay: 4 },
    ])
    await hostaway.reserve(loft, day(10), day(13))
    await hostaway.reserve(loft, day(-30), day(-25))
    const target = await addTarget(owner, {
      config: { ...hostawayConnection(hostaway.url), ...shortDebounce, ...unlimitedCalls },
    })
    const planned = await plan(target.id)
    assert.deepEqual(countsOf(planned), [
      'photo create 2 0',
      'space create 2 0',
      'unit create 3 0',
      'unit skip 1 1',
    ])
    const { last } = (await hostaway.control('GET', 'calls')).body
    const done = await run(planned.id)
    assert.deepEqual(
      [done.status, done.bookings_imported, ...countsOf(done)],
      [
        'completed',
        1,
        'photo create 1 1',
        'photo skip 1 1',
        'space create 2 2',
        'unit create 3 3',
        'unit skip 1 1',
      ],
    )
    const { channel_listings } = await read(
      `channel-listings?channel_target_id=${target.id}&external_id=${loft}`,
    )
    const [listing] = channel_listings
    const { unit } = await read(`units/${listing.unit_id}`)
    assert.deepEqual([unit.name, unit.space.name, unit.bathrooms], ['Loft 1', 'Via Cavour 4, Lucca', 1.5])
    const { calendar } = await read(`calendar?unit_id=${unit.id}&from=${day(9)}&to=${day(23)}`)
    assert.deepEqual(
      calendar[0].availability.map(({ booked, blocked }: Record<string, number>) => [booked, blocked]),
      [
        [0, 0],
        [1, 0],
        [0, 0],
        [0, 1],
        [0, 0],
      ],
    )
    const { bookings } = await read(`bookings?unitId=${unit.id}`)
    assert.equal(bookings.length, 1)
    const { media } = await read(`media?unit_id=${unit.id}`)
    assert.deepEqual([media.length, media[0].description], [1, 'Front'])

    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}/pause`), 204)
    await world.settled()
    const { calls } = (await hostaway.control('GET', `calls?after=${last}`)).body
    assert.deepEqual(
      calls.filter(
        ({ method, path }: { method: string; path: string }) =>
          method !== 'GET' && !/accessTokens|unifiedWebhooks/.test(path),
      ),
      [],
    )
  })

  test('ends with the problem of the PMS, and continues when it is run again', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    await hostaway.addListing({ name: 'Villa' })
    const config = { ...hostawayConnection(hostaway.url), ...unlimitedCalls }
    const target = await addTarget(owner, {
      config: { ...config, credentials: { ...config.credentials, api_key: 'wrong' } },
    })
    const failed = await plan(target.id)
    assert.equal(failed.status, 'failed')
    assert.match(failed.error_message ?? '', /credentials|key/i)
    const path = `/api/v1/channel-targets/${target.id}`
    const { channel_type, name } = expectStatus(await owner.get(path), 200).channel_target
    expectStatus(await owner.put(path, { channel_type, name, config }), 200)
    const planned = await run(failed.id)
    assert.deepEqual([planned.status, planned.error_message], ['planned', null])
    const refused = await owner.post('/api/v1/imports', { channel_target_id: target.id })
    assert.equal(expectStatus(refused, 409).code, 'already-exists')
    const cancelled = expectStatus(await owner.post(`/api/v1/imports/${planned.id}/cancel`), 200).import
    assert.equal(cancelled.status, 'cancelled')
    expectStatus(await owner.post(`/api/v1/imports/${planned.id}/run`), 409)
  })
})

/** Serves one picture. */
async function startPhotoServer(): Promise<string> {
  const file = await picture()
  const server = createServer(({ url }, response) =>
    response.writeHead(url === '/front.png' ? 200 : 404).end(url === '/front.png' ? file : ''),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
