import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestCaller } from './caller.ts'
import { expectProblem, expectStatus } from './expect.ts'
import { addTarget, addUnit } from './records.ts'
import { shareWorld } from './share-world.ts'

/** Each entrance for an address refuses those that are never called, also where private ones are allowed. */
const { owner } = shareWorld({ env: { ALLOW_PRIVATE_ADDRESSES: 'true' } })

const forbidden = 'http://169.254.169.254/latest/meta-data/'
const near = 'http://127.0.0.1:9/'

suite('metadata addresses are rejected where private addresses are allowed', () => {
  function expectAddressRefused(reply: Awaited<ReturnType<TestCaller['post']>>, pointer: string) {
    expectProblem(reply, 422, 'semantic-error', pointer)
    assert.equal(reply.body.errors[0].code, 'address_refused')
  }

  test('for a calendar feed', async () => {
    const { id: unit_id } = await addUnit(owner)
    const path = '/api/v1/calendar-feeds'
    const feed = { unit_id, direction: 'import', name: 'Elsewhere' }
    expectAddressRefused(await owner.post(path, { ...feed, url: forbidden }), '/url')
    const { calendar_feed } = expectStatus(await owner.post(path, { ...feed, url: near }), 201)
    expectAddressRefused(await owner.patch(`${path}/${calendar_feed.id}`, { url: forbidden }), '/url')
  })

  test('for a webhook endpoint', async () => {
    const path = '/api/v1/webhook-endpoints'
    const endpoint = { url: near, event_types: ['booking.created'] }
    expectAddressRefused(await owner.post(path, { ...endpoint, url: forbidden }), '/url')
    const { webhook_endpoint } = expectStatus(await owner.post(path, endpoint), 201)
    expectAddressRefused(
      await owner.put(`${path}/${webhook_endpoint.id}`, { ...endpoint, url: forbidden }),
      '/url',
    )
  })

  test('for a channel target', async () => {
    const path = '/api/v1/channel-targets'
    const target = { channel_type: 'pms', name: 'Inside', config: { base_url: forbidden } }
    expectAddressRefused(await owner.post(path, target), '/config/base_url')
    expectAddressRefused(
      await owner.put(`${path}/${(await addTarget(owner)).id}`, target),
      '/config/base_url',
    )
  })
})
