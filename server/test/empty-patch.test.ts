import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from './expect.ts'
import { operations } from './operations.ts'
import { addBooking, addCharge, addFeed, addPlan, addSpace, addUnit } from './records.ts'
import { addMedia } from './uploads.ts'
import { shareWorld } from './share-world.ts'

const { owner } = shareWorld()

test('PATCH {} returns 200 without changes for every record; a trailing slash is ignored', async () => {
  const space = await addSpace(owner)
  const unit = await addUnit(owner, { space_id: space.id, base_price_cents: 10_000 })
  const endpoint = expectStatus(
    await owner.post('/api/v1/webhook-endpoints', {
      url: 'https://example.org/hook',
      event_types: ['space.updated'],
    }),
    201,
  ).webhook_endpoint
  const records: Record<string, string> = {
    spaces: space.id,
    units: unit.id,
    'rate-plans': (await addPlan(owner, { unit_id: unit.id })).id,
    charges: (await addCharge(owner, { space_id: space.id })).id,
    bookings: (await addBooking(owner, { unitId: unit.id, checkIn: '2030-07-01', checkOut: '2030-07-03' }))
      .id,
    'calendar-feeds': (await addFeed(owner, { unit_id: unit.id })).id,
    'webhook-endpoints': endpoint.id,
    media: (await addMedia(owner, space.id)).id,
  }
  const patched = operations
    .filter(({ method, path }) => method === 'PATCH' && path.endsWith('}'))
    // What a file import has read is changed; before that it cannot be.
    .filter(({ path }) => !path.startsWith('/api/v1/file-imports/'))
    .map(({ path }) => path.split('/')[3]!)
  assert.deepEqual(Object.keys(records).sort(), patched.sort(), 'every resource that has PATCH')
  for (const [name, id] of Object.entries(records)) {
    const path = `/api/v1/${name}/${id}`
    const before = await owner.get(path)
    const reply = await owner.patch(path, {})
    expectStatus(reply, 200)
    assert.deepEqual([reply.text, reply.headers.get('etag')], [before.text, before.headers.get('etag')], name)
    assert.equal((await owner.get(`${path}/`)).text, before.text, `${name} with a slash`)
  }
})
