import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  arriving,
  channexWorld,
  goLive,
  openProperty,
  plansOf,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { addPlan, addUnit } from './records.ts'
import { until } from './linked-units.ts'

const setup = channexWorld()

/** A unit with a second plan and an archived one that is unknown to Channex, and its link. */
async function addStranger({ spaceId, targetId }: Property, name: string) {
  const unit = await addUnit(setup.owner, {
    space_id: spaceId,
    name,
    quantity: 4,
    max_guests: 3,
    base_price_cents: 9_900,
  })
  await addPlan(setup.owner, { unit_id: unit.id, name: 'Breakfast' })
  const old = await addPlan(setup.owner, { unit_id: unit.id, name: 'Old' })
  expectStatus(await setup.owner.patch(`/api/v1/rate-plans/${old.id}`, { status: 'archived' }), 200)
  const link = { unit_id: unit.id, channel_target_id: targetId, create: true }
  return { unitId: unit.id as string, link }
}

const linked = async (link: object) =>
  expectStatus(await setup.owner.post('/api/v1/channel-listings', link), 201).channel_listing.id as string

const listingOf = async (id: string) =>
  (await setup.owner.get(`/api/v1/channel-listings/${id}`)).body.channel_listing

/** What the property has at Channex under titles that begin so. */
async function atChannex({ propertyId }: Property, name: string) {
  const titled = async (collection: string) => {
    const query = `filter[property_id]=${propertyId}&pagination[limit]=100`
    const { data } = (await setup.api('GET', `/${collection}?${query}`)).body
    return data.filter(({ attributes }: { attributes: { title: string } }) =>
      attributes.title.startsWith(name),
    ) as { id: string; attributes: Record<string, unknown> }[]
  }
  return { rooms: await titled('room_types'), plans: await titled('rate_plans') }
}

suite('Channex certification: units are created once', () => {
  test('a room type with all its plans, and then its 500 nights', async () => {
    const property = await openProperty(setup)
    const { unitId, link } = await addStranger(property, 'Attic')
    let id = ''
    const { availability, restrictions, content } = await arriving(setup, async () => {
      id = await linked(link)
    })
    const { rooms, plans } = await atChannex(property, 'Attic')
    assert.deepEqual([rooms.length, plans.length], [1, 2])
    assert.deepEqual([rooms[0]!.attributes['count_of_rooms'], rooms[0]!.attributes['occ_adults']], [4, 3])
    assert.deepEqual(
      content.filter(({ method }) => method === 'POST').map(({ path }) => path),
      ['/api/v1/room_types', '/api/v1/rate_plans', '/api/v1/rate_plans'],
    )
    assert.equal(valuesOfOne(availability)[0]!['availability'], 4)
    assert.equal(valuesOfOne(restrictions).length, 2)
    const listing = await listingOf(id)
    assert.deepEqual([listing.status, listing.external_id], ['active', rooms[0]!.id])
    assert.deepEqual(
      listing.rate_plans.map(({ rate_plan_id }: { rate_plan_id: string }) => rate_plan_id).sort(),
      (await plansOf(setup.owner, unitId))
        .filter(({ status }) => status !== 'archived')
        .map((plan) => plan.id)
        .sort(),
    )
    assert.deepEqual(
      listing.rate_plans.map(({ external_id }: { external_id: string }) => external_id).sort(),
      plans.map((plan) => plan.id).sort(),
    )
    const shown = await shownBy(setup, property, property.day(499))
    assert.equal(shown.plans[plans[1]!.id]![property.day(499)]!['rate'], '99.00')
    const { proof } = (await setup.owner.get(`/api/v1/sync/proof/${id}`)).body
    assert.deepEqual([proof.in_sync, proof.differences], [true, []])
  })

  test('further syncs, also full ones, keep every id and create nothing', async () => {
    const property = await openProperty(setup)
    const id = await linked((await addStranger(property, 'Cellar')).link)
    await setup.world.settled()
    const before = [await listingOf(id), await atChannex(property, 'Cellar')]
    for (const mode of ['full', 'delta'])
      await arriving(setup, () => setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: id, mode }))
    const [listing, there] = [await listingOf(id), await atChannex(property, 'Cellar')]
    assert.deepEqual(there, before[1])
    assert.deepEqual([listing.external_id, listing.rate_plans], [before[0].external_id, before[0].rate_plans])
  })

  // Creation reads the room types, makes one, reads the plans, makes the first and the second.
  for (const [what, callsBefore] of [
    ['room type', 1],
    ['first plan', 3],
    ['second plan', 4],
  ] as const)
    test(`finds what was created when the response about the ${what} is lost`, async () => {
      const property = await openProperty(setup)
      const { propertyId } = property
      const { link } = await addStranger(property, `Loft ${callsBefore}`)
      await setup.control('PUT', 'faults', {
        mode: 'slow',
        delay_ms: 1,
        times: callsBefore,
        property: propertyId,
      })
      await setup.control('PUT', 'faults', {
        mode: 'lose_reply',
        method: 'POST',
        times: 1,
        property: propertyId,
      })
      const id = await linked(link)
      await until(
        async () => (await setup.owner.get(`/api/v1/sync/status/${id}`)).body,
        ({ error_code }) => error_code === 'network',
      )
      const halfway = await atChannex(property, `Loft ${callsBefore}`)
      assert.equal(halfway.rooms.length, 1)
      expectStatus(await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: id }), 201)
      await until(
        () => listingOf(id),
        ({ status }) => status === 'active',
      )
      const { rooms, plans } = await atChannex(property, `Loft ${callsBefore}`)
      assert.deepEqual([rooms.length, plans.length], [1, 2])
      const listing = await listingOf(id)
      assert.equal(listing.external_id, rooms[0]!.id)
      assert.deepEqual(
        listing.rate_plans.map(({ external_id }: { external_id: string }) => external_id).sort(),
        plans.map((plan) => plan.id).sort(),
      )
    })

  test('two units with one name are two room types', async () => {
    const property = await openProperty(setup, { live: false })
    const strangers = [await addStranger(property, 'Twin'), await addStranger(property, 'Twin')]
    const listings = [await linked(strangers[0]!.link), await linked(strangers[1]!.link)]
    await goLive(setup, property)
    await setup.world.settled()
    const { rooms, plans } = await atChannex(property, 'Twin')
    assert.deepEqual([rooms.length, plans.length], [2, 4])
    const ids = await Promise.all(listings.map(async (id) => (await listingOf(id)).external_id))
    assert.deepEqual(ids.sort(), rooms.map((room) => room.id).sort())
  })
})
