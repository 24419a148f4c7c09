import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
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
import { historyOf, until } from './linked-units.ts'

const setup = channexWorld()

/** A live property whose foreign changes Channex tells us of. */
async function openWithNotices(): Promise<Property> {
  const house = await openProperty(setup)
  const webhook = {
    callback_url: `${setup.world.url}/webhooks/pms/${house.targetId}`,
    event_mask: 'ari',
    property_id: house.property,
    is_active: true,
    send_data: true,
  }
  assert.equal((await setup.api('POST', '/webhooks', { webhook })).status, 201)
  return house
}

const rateOf = async (house: Property) => {
  const { plans } = await shownBy(setup, house, house.day(7))
  return plans[house.rooms[0]!.plans[0]!.externalId]![house.day(7)]!['rate']
}
const statusOf = async ({ rooms: [room] }: Property) =>
  expectStatus(await setup.owner.get(`/api/v1/sync/status/${room!.listingId}`), 200)
const night = (house: Property) => ({ date_from: house.day(7), date_to: house.day(7) })

suite('notices of changed nights', () => {
  test('by a user of Channex: the property is read back and corrected', async () => {
    const house = await openWithNotices()
    const [room] = house.rooms
    const value = { property_id: house.property, rate_plan_id: room!.plans[0]!.externalId, rate: 5_500 }
    const { status } = await setup.control('POST', 'values', { values: [{ ...value, ...night(house) }] })
    assert.equal(status, 200)
    await until(
      () => rateOf(house),
      (rate) => rate === '100.00',
    )
    await until(
      () => statusOf(house),
      ({ in_sync }) => in_sync,
    )
    const actions = (await historyOf(setup.owner, room!)).map(({ action, trigger }) => [action, trigger])
    assert.ok(actions.some(([action, trigger]) => action === 'sync.repaired' && trigger === 'reconcile'))
  })

  test('by our own push: the property is read back, and nothing is sent', async () => {
    const house = await openWithNotices()
    const before = await statusOf(house)
    const { restrictions, reads } = await arriving(setup, async () => {
      await decide(setup, { unit_id: house.rooms[0]!.unitId, ...night(house), price_cents: 12_300 })
      await until(
        () => setup.owner.get(`/api/v1/webhook-messages?channel_target_id=${house.targetId}`),
        ({ body }) => body.webhook_messages.some(({ status }: { status: string }) => status === 'processed'),
      )
    })
    assert.equal(valuesOfOne(restrictions).length, 1)
    assert.ok(reads.some(({ path }) => path.startsWith('/api/v1/restrictions')))
    const after = await statusOf(house)
    assert.equal(after.in_sync, true)
    assert.ok(Date.parse(after.verified_at) > Date.parse(before.verified_at))
  })
})
