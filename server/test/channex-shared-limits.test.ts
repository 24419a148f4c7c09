import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  arriving,
  channexWorld,
  connection,
  decide,
  goLive,
  openProperty,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { addTarget } from './records.ts'
import { until } from './linked-units.ts'

const setup = channexWorld()

suite('two targets of one property at Channex', () => {
  test('share its limit: each shows what both have used', async () => {
    const { property, other } = await openTwice()
    const { property: elsewhere } = await openTwice()
    assert.equal(await left(property.targetId), 8)
    assert.equal(await left(other), 8)
    await decide(setup, price(property, 0, 20_000))
    await setup.world.settled()
    assert.deepEqual([await left(property.targetId), await left(other)], [7, 7])
    assert.equal(await left(elsewhere.targetId), 8)
    // Whoever leads there later finds it used, too.
    const { id: third } = await addTarget(setup.owner, {
      name: 'Third',
      config: { ...connection(setup.url, property.propertyId), base_url: `${setup.url}/api/v1/` },
    })
    assert.equal(await left(third), 7)
  })

  test('send no message above the limit', async () => {
    const { property } = await openTwice({ debounce_ms: 0 })
    const { restrictions } = await arriving(
      setup,
      async () => {
        for (let change = 0; change < 40; change++) {
          await decide(setup, price(property, change % 2, 20_000 + change))
          await new Promise((resolve) => setTimeout(resolve, 60))
        }
        await hasArrived(property)
      },
      false,
    )
    const answers = restrictions.map(({ status }) => status)
    assert.deepEqual(answers, Array(answers.length).fill(200))
    assert.ok(answers.length <= 8, `${answers.length} messages beside the first two`)
  })
})

/** A property with two rooms, each of them linked by a target of its own; both have had their first sync. */
async function openTwice(config: object = {}) {
  const { owner, url, world } = setup
  const property = await openProperty(setup, { rooms: 2, config, live: false })
  const { id: other } = await addTarget(owner, {
    name: 'Other',
    status: 'inactive',
    config: { ...connection(url, property.propertyId), ...config },
  })
  const path = `/api/v1/channel-listings/${property.rooms[1]!.listingId}`
  const { channel_listing } = expectStatus(await owner.get(path), 200)
  expectStatus(await owner.put(path, { ...channel_listing, channel_target_id: other }), 200)
  await goLive(setup, property)
  await goLive(setup, { ...property, targetId: other })
  await world.settled()
  return { property, other }
}

const price = (property: Property, room: number, price_cents: number) => ({
  unit_id: property.rooms[room]!.unitId,
  date_from: property.day(5),
  date_to: property.day(5),
  price_cents,
})

/** How many messages about prices the target may send now. */
async function left(targetId: string): Promise<number> {
  const { sync_target } = expectStatus(await setup.owner.get(`/api/v1/sync/targets/${targetId}`), 200)
  return sync_target.budgets.find(({ kind }: { kind: string }) => kind === 'restrictions').remaining
}

const hasArrived = (property: Property) =>
  until(
    () =>
      Promise.all(
        property.rooms.map(
          async ({ listingId }) => (await setup.owner.get(`/api/v1/sync/status/${listingId}`)).body,
        ),
      ),
    (all) => all.every(({ status, in_sync }) => status === 'completed' && in_sync),
    60,
  )
