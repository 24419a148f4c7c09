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
  const property = await openProperty(setup)
  const webhook = {
    callback_url: `${setup.world.url}/webhooks/pms/${property.targetId}`,
    event_mask: 'ari',
    property_id: property.propertyId,
    is_active: true,
    send_data: true,
  }
  assert.equal((await setup.api('POST', '/webhooks', { webhook })).status, 201)
  return property
}

const rateOf = async (property: Property) => {
  const { plans } = await shownBy(setup, property, property.day(7))
  return plans[property.rooms[0]!.plans[0]!.externalId]![property.day(7)]!['rate']
}
const statusOf = async ({ rooms: [room] }: Property) =>
  expectStatus(await setup.owner.get(`/api/v1/sync/status/${room!.listingId}`), 200)
const night = (property: Property) => ({ date_from: property.day(7), date_to: property.day(7) })

suite('notices of changed nights', () => {
  test('by a user of Channex: the property is read back and corrected', async () => {
    const property = await openWithNotices()
    const [room] = property.rooms
    const value = { property_id: property.propertyId, rate_plan_id: room!.plans[0]!.externalId, rate: 5_500 }
    const { status } = await setup.control('POST', 'values', { values: [{ ...value, ...night(property) }] })
    assert.equal(status, 200)
    await until(
      () => rateOf(property),
      (rate) => rate === '100.00',
    )
    await until(
      () => statusOf(property),
      ({ in_sync }) => in_sync,
    )
    const actions = (await historyOf(setup.owner, room!)).map(({ action, trigger }) => [action, trigger])
    assert.ok(actions.some(([action, trigger]) => action === 'sync.repaired' && trigger === 'reconcile'))
  })

  test('by our own push: the property is read back, and nothing is sent', async () => {
    const property = await openWithNotices()
    const before = await statusOf(property)
    const { restrictions, reads } = await arriving(setup, async () => {
      await decide(setup, { unit_id: property.rooms[0]!.unitId, ...night(property), price_cents: 12_300 })
      await until(
        () => setup.owner.get(`/api/v1/webhook-messages?channel_target_id=${property.targetId}`),
        ({ body }) => body.webhook_messages.some(({ status }: { status: string }) => status === 'processed'),
      )
    })
    assert.equal(valuesOfOne(restrictions).length, 1)
    assert.ok(reads.some(({ path }) => path.startsWith('/api/v1/restrictions')))
    const after = await statusOf(property)
    assert.equal(after.in_sync, true)
    assert.ok(Date.parse(after.verified_at) > Date.parse(before.verified_at))
  })
})
