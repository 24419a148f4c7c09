import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channexWorld, decide, openProperty, shownBy } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { statusOf, until } from './linked-units.ts'

// Long enough for a second change before the tasks of the first are looked at.
const setup = channexWorld({ limited: false, env: { SYNC_VERIFY_AFTER_MS: '2500' } })

test('a task that failed is no failure when Channex shows the value that replaced it', async () => {
  const property = await openProperty(setup)
  const [room] = property.rooms
  const [night, { owner }] = [property.day(7), setup]
  const pushed = async (price_cents: number, fail: string | null) => {
    assert.equal((await setup.control('PUT', 'tasks', { fail })).status, 200)
    const { last_synced_at } = await statusOf(owner, room!)
    await decide(setup, { unit_id: room!.unitId, date_from: night, date_to: night, price_cents })
    await until(
      () => statusOf(owner, room!),
      (status) => status.status === 'completed' && status.last_synced_at !== last_synced_at,
    )
  }
  await pushed(100, 'rate is below the lowest rate of the property')
  await pushed(15_500, null)
  const { in_sync, error_message } = await until(
    () => statusOf(owner, room!),
    (status) => status.in_sync || status.status === 'failed',
  )
  assert.deepEqual([in_sync, error_message], [true, null])
  const { plans } = await shownBy(setup, property, night)
  assert.equal(plans[room!.plans[0]!.externalId]![night]!['rate'], '155.00')
  const alerts = expectStatus(await owner.get(`/api/v1/alerts?channel_listing_id=${room!.listingId}`), 200)
  assert.deepEqual(alerts.alerts, [])
})
