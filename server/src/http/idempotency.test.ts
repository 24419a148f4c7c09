import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Reply } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/spaces'
const keyed = (key: string = randomUUID()) => ({ 'idempotency-key': key })
const countSpaces = async (name: string) =>
  expectStatus(await owner.get(`${path}?q=${encodeURIComponent(name)}`), 200).spaces.length

function expectReplay(replayed: Reply, first: Reply) {
  assert.equal(replayed.status, first.status)
  assert.equal(replayed.text, first.text)
  for (const name of ['etag', 'location', 'content-type'])
    assert.equal(replayed.headers.get(name), first.headers.get(name), name)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
}

suite('repeated requests', () => {
  test('every POST has one effect and returns the same response to a repeated request', async () => {
    const unit = await addUnit(owner)
    const target = await addTarget(owner)
    const listing = await addListing(owner)
    for (const [url, body] of [
      ['/api/v1/spaces', { name: 'Once' }],
      ['/api/v1/units', { name: 'Once', space_id: unit.space_id, base_price_cents: 1 }],
      ['/api/v1/channel-targets', { name: 'Once', channel_type: 'pms' }],
      ['/api/v1/channel-listings', { unit_id: unit.id, channel_target_id: target.id, external_id: 'once' }],
      ['/api/v1/sync/trigger', { channel_listing_id: listing.id }],
    ] as const) {
      const headers = keyed()
      const first = await owner.post(url, body, headers)
      expectStatus(first, 201)
      expectReplay(await owner.post(url, body, headers), first)
      expectReplay(await owner.post(url, Object.fromEntries(Object.entries(body).reverse()), headers), first)
    }
    assert.equal(await countSpaces('Once'), 1)
  })

  test('the response is the same after the record was changed or deleted', async () => {
    const headers = keyed()
    const first = await owner.post(path, { name: 'Short-lived' }, headers)
    const { id } = expectStatus(first, 201).space
    expectStatus(await owner.patch(`${path}/${id}`, { name: 'Renamed' }), 200)
    expectStatus(await owner.delete(`${path}/${id}`), 204)
    expectReplay(await owner.post(path, { name: 'Short-lived' }, headers), first)
    assert.equal(await countSpaces('Short-lived'), 0)
  })

  test('accepts a key with or without quotes, of up to 255 characters', async () => {
    const key = 'k'.repeat(255)
    const first = await owner.post(path, { name: 'Quoted' }, keyed(key))
    expectReplay(await owner.post(path, { name: 'Quoted' }, keyed(`"${key}"`)), first)
  })

  test('the same key may be used for another path', async () => {
    const headers = keyed()
    const space = expectStatus(await owner.post(path, { name: 'Shared key' }, headers), 201).space
    const body = { name: 'Shared key', space_id: space.id, base_price_cents: 1 }
    assert.equal((await owner.post('/api/v1/units', body, headers)).body.unit.space_id, space.id)
  })

  test('a key expires after 24 hours', async () => {
    const headers = keyed()
    expectStatus(await owner.post(path, { name: 'Yesterday' }, headers), 201)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`with old as (delete from idempotency_keys where key = ${headers['idempotency-key']} returning *)
        insert into idempotency_keys select org_id, operation, key, fingerprint, status, headers, body,
          created_at - interval '24 hours 1 second' from old`,
    ])
    const again = await owner.post(path, { name: 'Yesterday' }, headers)
    expectStatus(again, 201)
    assert.equal(again.headers.get('idempotent-replayed'), null)
    expectReplay(await owner.post(path, { name: 'Yesterday' }, headers), again)
    assert.equal(await countSpaces('Yesterday'), 2)
  })
})

suite('rejected and concurrent requests', () => {
  test('rejects the key with another body', async () => {
    const headers = keyed()
    expectStatus(await owner.post(path, { name: 'First' }, headers), 201)
    expectProblem(await owner.post(path, { name: 'Other' }, headers), 422, 'idempotency-key-reused')
    expectProblem(
      await owner.post(path, { name: 'First', city: 'Faro' }, headers),
      422,
      'idempotency-key-reused',
    )
    assert.equal(await countSpaces('Other'), 0)
  })

  test('of concurrent requests one takes effect; the others get its response or 409', async () => {
    for (let round = 0; round < 5; round++) {
      const headers = keyed()
      const name = `Race ${randomUUID()}`
      const replies = await Promise.all(Array.from({ length: 8 }, () => owner.post(path, { name }, headers)))
      const succeeded = replies.filter(({ status }) => status === 201)
      assert.ok(succeeded.length >= 1)
      assert.equal(new Set(succeeded.map(({ text }) => text)).size, 1)
      for (const reply of replies)
        if (reply.status !== 201) {
          expectProblem(reply, 409, 'idempotency-in-progress')
          assert.equal(reply.headers.get('retry-after'), '1')
        }
      assert.equal(await countSpaces(name), 1)
    }
  })

  test('an error is not stored: the key may succeed later, also with a corrected body', async () => {
    const headers = keyed()
    expectProblem(await owner.post(path, { name: 5 }, headers), 400, 'validation-error')
    const target = await addTarget(owner)
    const link = { unit_id: unknownId, channel_target_id: target.id, external_id: 'x' }
    const url = '/api/v1/channel-listings'
    expectProblem(await owner.post(url, link, headers), 422, 'reference-not-found')
    const { id } = await addUnit(owner)
    const corrected = await owner.post(url, { ...link, unit_id: id }, headers)
    expectStatus(corrected, 201)
    expectReplay(await owner.post(url, { ...link, unit_id: id }, headers), corrected)
  })

  test('rejects a key that is not visible ASCII or is too long', async () => {
    for (const key of ['', ' ', 'with space', 'k'.repeat(256), 'schlüssel', '""', 'a, b'])
      expectProblem(await owner.post(path, { name: 'n' }, keyed(key)), 400, 'validation-error')
  })
})

suite('isolation of idempotency keys', () => {
  test('another organization may use the same key', async () => {
    const headers = keyed()
    const first = await owner.post(path, { name: 'Ours' }, headers)
    const stranger = await world.away.as('owner')
    const theirs = await stranger.post(path, { name: 'Ours' }, headers)
    assert.equal(expectStatus(theirs, 201).space.org_id, world.away.id)
    assert.notEqual(theirs.body.space.id, expectStatus(first, 201).space.id)
  })

  test('a stored response is returned only to callers who may make the request', async () => {
    const headers = keyed()
    expectStatus(await owner.post(path, { name: 'Kept' }, headers), 201)
    const viewer = await world.home.as('viewer')
    expectProblem(await viewer.post(path, { name: 'Kept' }, headers), 403, 'forbidden')
    expectProblem(await world.caller(null).post(path, { name: 'Kept' }, headers), 401, 'unauthorized')
  })
})
