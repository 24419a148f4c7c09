import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addSpace, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const etagAt = async (path: string) => (await owner.get(path)).headers.get('etag')!

/** One record of each resource: its path, and how to change it. */
async function eachRecord() {
  const listing = await addListing(owner)
  const { unit, channel_target: target } = listing
  const space = await addSpace(owner)
  return [
    { path: `/api/v1/spaces/${space.id}`, change: { ...space, name: 'New' } },
    { path: `/api/v1/units/${unit.id}`, change: { ...unit, name: 'New' } },
    { path: `/api/v1/channel-targets/${target.id}`, change: { ...target, name: 'New' } },
    { path: `/api/v1/channel-listings/${listing.id}`, change: { ...listing, external_id: 'New' } },
  ]
}

suite('preconditions: happy', () => {
  test('every record has a strong ETag, which changes when the record does', async () => {
    for (const { path, change } of await eachRecord()) {
      const before = await etagAt(path)
      assert.match(before, /^"[^"]+"$/, path)
      assert.equal(await etagAt(path), before)
      const changed = await owner.put(path, change)
      expectStatus(changed, 200)
      assert.notEqual(changed.headers.get('etag'), before, path)
      assert.equal(await etagAt(path), changed.headers.get('etag'))
    }
  })

  test('returns 304 without a body for a current copy', async () => {
    for (const { path } of await eachRecord()) {
      const etag = await etagAt(path)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"other" , W/${etag} ,"third"`, '*']) {
        const reply = await owner.get(path, { 'if-none-match': known })
        assert.equal(reply.status, 304, `${path} ${known}`)
        assert.equal(reply.text, '')
        // The digest is the same; which encoding the client has, `*` does not say.
        const named = known === '*' ? etag.replace(/-(br|gzip)"$/, '"') : etag
        assert.equal(reply.headers.get('etag'), named)
      }
      const head = await owner.send('HEAD', path, { headers: { 'if-none-match': etag } })
      assert.equal(head.status, 304)
      expectStatus(await owner.get(path, { 'if-none-match': '"other"' }), 200)
    }
  })

  test('a change succeeds when the record is as the client read it', async () => {
    for (const { path, change } of await eachRecord()) {
      const headers = { 'if-match': await etagAt(path) }
      expectStatus(await owner.put(path, change, headers), 200)
      expectProblem(await owner.put(path, change, headers), 412, 'precondition-failed')
      expectStatus(await owner.put(path, change, { 'if-match': `"other", ${await etagAt(path)}` }), 200)
      expectStatus(await owner.put(path, change, { 'if-match': '*' }), 200)
    }
  })

  test('a change of the space does not conflict with a change of its unit', async () => {
    const unit = await addUnit(owner)
    const path = `/api/v1/units/${unit.id}`
    const etag = await etagAt(path)
    expectStatus(await owner.patch(`/api/v1/spaces/${unit.space_id}`, { city: 'Faro' }), 200)
    assert.notEqual(await etagAt(path), etag, 'what is cached is stale')
    expectStatus(await owner.patch(path, { name: 'New' }, { 'if-match': etag }), 200)
  })

  test('DELETE accepts If-Match', async () => {
    const { id } = await addTarget(owner)
    const path = `/api/v1/channel-targets/${id}`
    expectProblem(await owner.delete(path, { 'if-match': '"1.x"x' }), 412, 'precondition-failed')
    expectStatus(await owner.delete(path, { 'if-match': await etagAt(path) }), 204)
  })

  test('If-None-Match does not prevent a change', async () => {
    const { id } = await addSpace(owner)
    const path = `/api/v1/spaces/${id}`
    const reply = await owner.patch(path, { name: 'New' }, { 'if-none-match': '*' })
    assert.equal(expectStatus(reply, 200).space.name, 'New')
  })
})

suite('preconditions: error', () => {
  test('of many that change what they all read, one succeeds and loses nothing', async () => {
    const { id } = await addSpace(owner)
    const path = `/api/v1/spaces/${id}`
    const headers = { 'if-match': await etagAt(path) }
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => owner.patch(path, { name: `Change ${at}` }, headers)),
    )
    const done = replies.filter(({ status }) => status === 200)
    assert.equal(done.length, 1)
    for (const reply of replies) if (reply !== done[0]) expectProblem(reply, 412, 'precondition-failed')
    assert.deepEqual((await owner.get(path)).body, done[0]!.body)
  })

  test('an unknown or weak ETag does not match', async () => {
    for (const { path, change } of await eachRecord())
      for (const tag of ['"other"', '""', 'nonsense', `W/${await etagAt(path)}`, '1', '"999999999999.x"']) {
        const headers = { 'if-match': tag }
        expectProblem(await owner.put(path, change, headers), 412, 'precondition-failed')
        expectProblem(await owner.delete(path, headers), 412, 'precondition-failed')
        expectStatus(await owner.get(path), 200)
      }
  })

  test('returns 404 for an unknown record, whatever the ETag', async () => {
    const path = `/api/v1/spaces/${unknownId}`
    expectProblem(await owner.patch(path, { name: 'n' }, { 'if-match': '"1.x"' }), 404, 'not-found')
    expectProblem(await owner.get(path, { 'if-none-match': '*' }), 404, 'not-found')
  })
})

suite('preconditions: security', () => {
  test('an ETag reveals nothing to another organization', async () => {
    const { id } = await addSpace(owner)
    const etag = await etagAt(`/api/v1/spaces/${id}`)
    const stranger = await world.away.as('owner')
    for (const reply of [
      await stranger.get(`/api/v1/spaces/${id}`, { 'if-none-match': etag }),
      await stranger.patch(`/api/v1/spaces/${id}`, { name: 'n' }, { 'if-match': etag }),
      await stranger.delete(`/api/v1/spaces/${id}`, { 'if-match': '"other"' }),
    ])
      expectProblem(reply, 404, 'not-found')
  })
})
