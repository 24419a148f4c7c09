import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  apiKey,
  arriving,
  channexWorld,
  connection,
  decide,
  goLive,
  openProperty,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { addListing, addSpace, addTarget, addUnit } from './records.ts'
import { historyOf, until } from './linked-units.ts'

const setup = channexWorld()

const listingOf = async (property: Property, room = 0) =>
  (await setup.owner.get(`/api/v1/channel-listings/${property.rooms[room]!.listingId}`)).body.channel_listing

const nights = (property: Property, from: number, to = from) => ({
  date_from: property.day(from),
  date_to: property.day(to),
})

suite('Channex certification: accepted is not applied', () => {
  test('a refused value puts its listing in error with the message of Channex; other values are accepted', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const [first, second] = property.rooms
    await decide(
      setup,
      { unit_id: first!.unitId, ...nights(property, 10), price_cents: 0 },
      { unit_id: first!.unitId, ...nights(property, 12), price_cents: 15_000 },
      { unit_id: second!.unitId, ...nights(property, 10), price_cents: 16_000 },
    )
    await setup.world.settled()
    const failedListing = await listingOf(property, 0)
    assert.equal(failedListing.status, 'error')
    assert.match(failedListing.error_message, /must be greater than 0/)
    const { body: status } = await setup.owner.get(`/api/v1/sync/status/${first!.listingId}`)
    assert.deepEqual(
      [status.status, status.error_code, status.in_sync],
      ['failed', 'partial_rejection', false],
    )
    assert.equal((await listingOf(property, 1)).status, 'active')
    const { plans } = await shownBy(setup, property, property.day(10), property.day(12))
    assert.equal(plans[first!.plans[0]!.externalId]![property.day(12)]!['rate'], '150.00')
    assert.equal(plans[second!.plans[0]!.externalId]![property.day(10)]!['rate'], '160.00')
    const { body } = await setup.owner.get(`/api/v1/alerts?channel_listing_id=${first!.listingId}`)
    assert.match(body.alerts[0].message, /must be greater than 0/)
    assert.ok(body.alerts[0].hint)
    const last = (await historyOf(setup.owner, first!)).at(-1)!
    assert.deepEqual(
      [last.action, last.error?.code, last.error?.retryable],
      ['sync.failed', 'partial_rejection', false],
    )

    // Put right, it goes out by itself, and only it.
    const { restrictions } = await arriving(setup, () =>
      decide(setup, { unit_id: first!.unitId, ...nights(property, 10), price_cents: 17_000 }),
    )
    assert.deepEqual(
      valuesOfOne(restrictions).map(({ date_from, rate }) => [date_from, rate]),
      [[property.day(10), 17_000]],
    )
    const recovered = await listingOf(property, 0)
    assert.deepEqual([recovered.status, recovered.error_message], ['active', null])
  })

  test('an unknown external id is distinguished from known ones', async () => {
    const property = await openProperty(setup, { rooms: 2, live: false })
    const { listingId, unitId } = property.rooms[0]!
    expectStatus(
      await setup.owner.put(`/api/v1/channel-listings/${listingId}`, {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: 'nowhere',
      }),
      200,
    )
    await goLive(setup, property)
    await setup.world.settled()
    const { body: status } = await setup.owner.get(`/api/v1/sync/status/${listingId}`)
    assert.deepEqual([status.status, status.error_code], ['failed', 'mapping_not_found'])
    assert.equal((await listingOf(property, 1)).status, 'active')
  })
})

suite('Channex certification: the key', () => {
  test('is in no response, audit entry or error, even when Channex repeats it', async () => {
    const property = await openProperty(setup)
    const { targetId, rooms, propertyId } = property
    const [{ unitId, listingId }] = rooms as [Property['rooms'][0]]
    const fault = { mode: 'refuse', status: 422, code: `no: ${apiKey}`, times: 1, property: propertyId }
    await setup.control('PUT', 'faults', fault)
    await decide(setup, { unit_id: unitId, ...nights(property, 3), price_cents: 12_300 })
    await setup.world.settled()
    const wrong = `${apiKey}-wrong`
    const wrongTarget = await addTarget(setup.owner, {
      config: { ...connection(setup.url, propertyId), credentials: { api_key: wrong } },
    })
    await until(
      async () => (await setup.owner.get(`/api/v1/channel-targets/${wrongTarget.id}`)).body.channel_target,
      ({ status, error_message }) => status === 'error' && /API key/.test(error_message),
    )
    const paths = [
      `channel-targets/${targetId}`,
      `channel-targets/${wrongTarget.id}`,
      'channel-targets',
      `channel-listings/${listingId}`,
      `sync/status/${listingId}`,
      `sync/audit?channel_target_id=${targetId}&limit=100`,
      `sync/audit?channel_listing_id=${listingId}&limit=100`,
      `sync/proof/${listingId}`,
      `sync/preview/${listingId}?mode=full`,
      `sync/targets/${targetId}`,
      'sync/targets',
      'alerts?limit=100',
    ]
    for (const path of paths) {
      const { status, text } = await setup.owner.get(`/api/v1/${path}`)
      assert.equal(status, 200, path)
      assert.ok(!text.includes(apiKey), path)
    }
    assert.match((await historyOf(setup.owner, { listingId })).at(-1)!.response!.summary, /no: …/)
    const taken = await addListing(setup.owner, {
      unit_id: (await addUnit(setup.owner, { space_id: (await addSpace(setup.owner)).id })).id,
      channel_target_id: wrongTarget.id,
    })
    await setup.world.settled()
    const { channel_listing } = (await setup.owner.get(`/api/v1/channel-listings/${taken.id}`)).body
    assert.equal(channel_listing.status, 'error')
    assert.ok(!JSON.stringify(channel_listing).includes(apiKey))
  })
})
