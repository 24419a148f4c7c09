import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let link: { unit_id: string; channel_target_id: string; external_id: string }

before(async () => {
  link = {
    unit_id: (await addUnit(owner)).id,
    channel_target_id: (await addTarget(owner)).id,
    external_id: 'x',
  }
})

const path = '/api/v1/channel-listings'

suite('channel listings: error', () => {
  const refused: [string, object, string][] = [
    ['a listing without a unit', { unit_id: undefined }, '/unit_id'],
    ['a listing without a target', { channel_target_id: undefined }, '/channel_target_id'],
    ['a listing without an external id', { external_id: undefined }, '/external_id'],
    ['an external id of spaces', { external_id: '  ' }, '/external_id'],
    ['an external id of 256 characters', { external_id: 'x'.repeat(256) }, '/external_id'],
    ['an external id of a number', { external_id: 5 }, '/external_id'],
    ['a unit that is no id', { unit_id: 'one' }, '/unit_id'],
    ['an unknown status', { status: 'completed' }, '/status'],
    ['an unknown member', { external: 'x' }, '/external'],
  ]
  for (const [what, wrong, pointer] of refused)
    test(`rejects ${what}`, async () =>
      expectProblem(await owner.post(path, { ...link, ...wrong }), 400, 'validation-error', pointer))

  test('rejects an unknown unit or target', async () => {
    const { id } = await addListing(owner)
    for (const member of ['unit_id', 'channel_target_id'] as const) {
      const wrong = { ...link, [member]: unknownId }
      expectProblem(await owner.post(path, wrong), 422, 'reference-not-found', `/${member}`)
      expectProblem(await owner.put(`${path}/${id}`, wrong), 422, 'reference-not-found', `/${member}`)
    }
  })

  test('returns 409 when the unit is linked to the target already', async () => {
    const first = await addListing(owner)
    const again = { unit_id: first.unit_id, channel_target_id: first.channel_target_id, external_id: 'other' }
    const reply = await owner.post(path, again)
    expectProblem(reply, 409, 'duplicate-mapping')
    assert.equal(reply.body.channel_listing_id, first.id)
    const second = await addListing(owner, { unit_id: first.unit_id })
    expectProblem(await owner.put(`${path}/${second.id}`, again), 409, 'duplicate-mapping')
  })

  test('returns 409 when the external id is used at the target already', async () => {
    const first = await addListing(owner)
    const { channel_target_id, external_id } = first
    const taken = { unit_id: (await addUnit(owner)).id, channel_target_id, external_id }
    const reply = await owner.post(path, taken)
    expectProblem(reply, 409, 'duplicate-mapping')
    assert.equal(reply.body.channel_listing_id, first.id)
    const second = await addListing(owner, { unit_id: taken.unit_id, channel_target_id })
    expectProblem(await owner.put(`${path}/${second.id}`, taken), 409, 'duplicate-mapping')
  })

  test('returns 409 when another unit has the external id through another target of the property', async () => {
    const config = { property_ref: 'harbour-house' }
    const [one, other] = [await addTarget(owner, { config }), await addTarget(owner, { config })]
    const elsewhere = await addTarget(owner, { config: { property_ref: 'hill-house' } })
    const first = await addListing(owner, { channel_target_id: one.id, external_id: 'room' })
    const taken = { unit_id: (await addUnit(owner)).id, channel_target_id: other.id, external_id: 'room' }
    const reply = await owner.post(path, taken)
    expectProblem(reply, 409, 'duplicate-mapping')
    assert.equal(reply.body.channel_listing_id, first.id)
    // The room of another property, and the same unit, as when one target replaces the other.
    expectStatus(await owner.post(path, { ...taken, channel_target_id: elsewhere.id }), 201)
    const same = expectStatus(await owner.post(path, { ...taken, unit_id: first.unit_id }), 201)

    const move = (property_ref: string) =>
      owner.put(`/api/v1/channel-targets/${elsewhere.id}`, {
        ...{ channel_type: 'pms', name: 'Moved', config: { ...elsewhere.config, property_ref } },
      })
    const moved = await move('harbour-house')
    expectProblem(moved, 409, 'duplicate-mapping')
    assert.ok([first.id, same.channel_listing.id].includes(moved.body.channel_listing_id))
    expectStatus(await move('lake-house'), 200)
  })

  test('creates one of many concurrent equal links', async () => {
    const channel_target_id = (await addTarget(owner)).id
    for (let round = 0; round < 8; round++) {
      const race = { unit_id: (await addUnit(owner)).id, channel_target_id, external_id: `race ${round}` }
      const replies = await Promise.all(Array.from({ length: 6 }, () => owner.post(path, race)))
      const made = replies.filter(({ status }) => status === 201)
      assert.equal(made.length, 1)
      for (const reply of replies) if (reply !== made[0]) expectProblem(reply, 409, 'duplicate-mapping')
      const { channel_listings } = expectStatus(await owner.get(`${path}?unit_id=${race.unit_id}`), 200)
      assert.equal(channel_listings.length, 1)
    }
  })

  test('rejects the status error', async () => {
    const listing = await addListing(owner)
    for (const status of ['pending', 'active', 'paused']) {
      await world.resources.database.pipelined({ orgId: world.home.id }, [
        sql`update channel_listings set status = ${status} where id = ${listing.id}`,
      ])
      const reply = await owner.put(`${path}/${listing.id}`, { ...listing, status: 'error' })
      expectProblem(reply, 409, 'invalid-status-transition')
    }
  })

  test('rejects another id or organization', async () => {
    const listing = await addListing(owner)
    expectProblem(await owner.post(path, listing), 400, 'validation-error', '/id')
    const moved = { ...listing, org_id: world.away.id }
    expectProblem(await owner.put(`${path}/${listing.id}`, moved), 400, 'validation-error', '/org_id')
  })

  test('returns 404 for an unknown id, and 405 for PATCH', async () => {
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.put(`${path}/${unknownId}`, link),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
    const patched = await owner.patch(`${path}/${unknownId}`, link)
    expectProblem(patched, 405, 'method-not-allowed')
    assert.equal(patched.headers.get('allow'), 'DELETE, GET, HEAD, PUT')
  })
})
