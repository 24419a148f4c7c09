import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { poll } from '#test/pms-bookings.ts'
import { isReachable } from './subscribe-to-notices.ts'

/** Our address for notices is registered at the PMS when it is public. */

const publicUrl = 'https://vacancy.test'
const setup = channexWorld({ env: { PUBLIC_URL: publicUrl }, limited: false })

interface Webhook {
  id: string
  attributes: {
    callback_url: string
    event_mask: string
    is_active: boolean
    send_data: boolean
    headers: Record<string, string>
  }
}
const webhooks = async (property: string) => {
  const { data } = (await setup.api('GET', '/webhooks?pagination[limit]=100')).body as {
    data: (Webhook & { relationships: { property: { data: { id: string } } } })[]
  }
  return data.filter(({ relationships }) => relationships.property.data.id === property)
}

suite('the address for notices', () => {
  test('is registered once with the secret, and again when it was disabled', async () => {
    const property = await openProperty(setup, {
      config: {
        credentials: { api_key: 'key-that-nobody-may-read-7Qx2', webhook_secret: 'a-secret-of-the-house' },
      },
    })
    await poll(setup.world)
    await poll(setup.world)
    const [webhook, ...others] = await webhooks(property.propertyId)
    assert.deepEqual(others, [])
    const { callback_url, event_mask, is_active, send_data, headers } = webhook!.attributes
    for (const event of ['booking', 'ari', 'sync_error'])
      assert.ok(event_mask.split(';').includes(event), event)
    assert.deepEqual(
      [callback_url, is_active, send_data, headers],
      [
        `${publicUrl}/webhooks/pms/${property.targetId}`,
        true,
        true,
        { 'x-vacancy-token': 'a-secret-of-the-house' },
      ],
    )
    await setup.api('PUT', `/webhooks/${webhook!.id}`, { webhook: { is_active: false } })
    await poll(setup.world, ", bookings_told_since = now() - interval '2 days'")
    const after = await webhooks(property.propertyId)
    assert.deepEqual(
      after.map(({ attributes }) => attributes.is_active),
      [true],
    )
  })

  test('is not registered when it is not public', () => {
    for (const url of [
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://10.0.0.7',
      'http://100.64.0.1',
      'http://[::1]',
      'http://vacancy',
      'https://x.internal',
      'https://vacancy.lan',
    ])
      assert.equal(isReachable(url), false, url)
    for (const url of [publicUrl, 'https://8.8.8.8', 'https://[2a00::1]'])
      assert.equal(isReachable(url), true, url)
  })
})
