import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addAccount, addListing, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/channel-listings'
const read = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).channel_listing

/** Sets the result of a sync. */
const setStatus = (id: string, status: string) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [
    sql`update channel_listings set status = ${status} where id = ${id}`,
    sql`update listing_syncs set error_message = ${status === 'error' ? 'why' : null} where channel_listing_id = ${id}`,
  ])

suite('channel listings: happy', () => {
  test('links a unit to a target, and returns both', async () => {
    const { space: _, ...unit } = await addUnit(owner)
    const target = await addTarget(owner, { config: { credentials: { api_key: 'k' } } })
    const reply = await owner.post(path, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: ' RT 1/2 ',
    })
    const { id, created_at, updated_at, ...rest } = expectStatus(reply, 201).channel_listing
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: 'RT 1/2',
      rate_plans: [],
      status: 'pending',
      last_synced_at: null,
      error_message: null,
      unit,
      channel_target: target,
    })
    assert.equal(updated_at, created_at)
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
    const alone = await owner.get(`${path}/${id}`)
    assert.deepEqual(expectStatus(alone, 200), reply.body)
    assert.equal(alone.headers.get('etag'), reply.headers.get('etag'))
    const { channel_listings } = expectStatus(await owner.get(`${path}?external_id=RT%201/2`), 200)
    assert.deepEqual(channel_listings, [reply.body.channel_listing])
  })

  test('creates a pending listing, and records who linked it', async () => {
    const listing = await addListing(owner)
    const state = expectStatus(await owner.get(`/api/v1/sync/status/${listing.id}`), 200)
    assert.ok(Date.parse(state.behind_since) >= Date.parse(listing.created_at), state.behind_since)
    assert.deepEqual(state, {
      channel_listing_id: listing.id,
      status: 'pending',
      last_synced_at: null,
      error_message: null,
      error_code: null,
      attempts: 0,
      next_attempt_at: null,
      in_sync: false,
      pending_changes: 1,
      behind_since: state.behind_since,
      stale: false,
      warnings: [],
      verification: null,
      unverified_since: null,
      verified_at: null,
    })
    const { audit } = expectStatus(
      await owner.get(`/api/v1/sync/audit?channel_listing_id=${listing.id}`),
      200,
    )
    assert.equal(audit.at(-1).action, 'listing.linked')
    assert.equal(audit.at(-1).actor.name, 'Home owner')
    assert.deepEqual(audit.at(-1).changes, [
      { field: 'external_id', before: null, after: listing.external_id },
    ])
  })

  test('links a unit to several targets, and a target to several units', async () => {
    const unit = await addUnit(owner)
    const target = await addTarget(owner)
    const first = await addListing(owner, { unit_id: unit.id, external_id: 'same' })
    await addListing(owner, { unit_id: unit.id, channel_target_id: target.id, external_id: 'same' })
    await addListing(owner, { channel_target_id: target.id, external_id: 'Same' })
    const { channel_listings } = expectStatus(await owner.get(`${path}?unit_id=${unit.id}`), 200)
    assert.equal(channel_listings.length, 2)
    assert.equal(ids(channel_listings)[0], first.id)
  })

  test('changes the external id, the unit and the target', async () => {
    const listing = await addListing(owner)
    const unit = await addUnit(owner)
    const target = await addTarget(owner)
    const next = { unit_id: unit.id, channel_target_id: target.id, external_id: 'elsewhere' }
    const changed = expectStatus(await owner.put(`${path}/${listing.id}`, next), 200).channel_listing
    assert.deepEqual({ ...changed, ...next }, changed)
    assert.equal(changed.unit.id, unit.id)
    assert.equal(changed.channel_target.id, target.id)
    assert.equal(changed.created_at, listing.created_at)
  })

  test('accepts a record as it was read after a sync', async () => {
    const listing = await addListing(owner)
    const before = await owner.get(`${path}/${listing.id}`)
    assert.deepEqual(expectStatus(await owner.put(`${path}/${listing.id}`, listing), 200), before.body)
    await setStatus(listing.id, 'active')
    const later = expectStatus(await owner.put(`${path}/${listing.id}`, listing), 200).channel_listing
    assert.equal(later.status, 'active')
    const lying = { ...listing, last_synced_at: 'never', error_message: 5, unit: null, channel_target: {} }
    assert.deepEqual(
      expectStatus(await owner.put(`${path}/${listing.id}`, lying), 200).channel_listing,
      later,
    )
  })

  test('pauses and resumes a listing', async () => {
    const listing = await addListing(owner)
    const put = async (status?: string) =>
      expectStatus(await owner.put(`${path}/${listing.id}`, { ...listing, status }), 200).channel_listing
        .status
    for (const from of ['pending', 'active', 'error']) {
      await setStatus(listing.id, from)
      assert.equal(await put('paused'), 'paused')
      assert.notEqual(await put(undefined), 'paused', 'PUT without a status takes the default')
      assert.equal(await put('active'), 'pending', 'active again once it is pushed')
    }
    await setStatus(listing.id, 'error')
    assert.equal(await put('error'), 'error')
    assert.equal(await put('active'), 'pending')
    assert.equal((await addListing(owner, { status: 'paused' })).status, 'paused')
    assert.equal((await addListing(owner, { status: 'active' })).status, 'pending', 'not before it is pushed')
  })

  test('deletes a listing, and keeps its unit, target and history', async () => {
    const listing = await addListing(owner)
    const gone = await owner.delete(`${path}/${listing.id}`)
    assert.equal(gone.status, 204)
    assert.equal(gone.text, '')
    expectProblem(await owner.get(`${path}/${listing.id}`), 404, 'not-found')
    expectProblem(await owner.get(`/api/v1/sync/status/${listing.id}`), 404, 'not-found')
    expectStatus(await owner.get(`/api/v1/units/${listing.unit_id}`), 200)
    expectStatus(await owner.get(`/api/v1/channel-targets/${listing.channel_target_id}`), 200)
    const { audit } = expectStatus(
      await owner.get(`/api/v1/sync/audit?channel_listing_id=${listing.id}`),
      200,
    )
    assert.equal(audit[0].action, 'listing.unlinked')
    await addListing(owner, {
      unit_id: listing.unit_id,
      channel_target_id: listing.channel_target_id,
      external_id: listing.external_id,
    })
  })
})

suite('channel listings: security', () => {
  test('returns 404 to another organization', async () => {
    const listing = await addListing(owner, { external_id: 'only-ours' })
    const theirs = await addListing(stranger)
    const body = { ...theirs, id: undefined }
    for (const reply of [
      await stranger.get(`${path}/${listing.id}`),
      await stranger.put(`${path}/${listing.id}`, body),
      await stranger.delete(`${path}/${listing.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual(await read(listing.id), listing)
    for (const query of ['', `&org_id=${world.home.id}`, '&q=only-ours', `&unit_id=${listing.unit_id}`]) {
      const { channel_listings } = expectStatus(await stranger.get(`${path}?limit=100${query}`), 200)
      assert.deepEqual(ids(channel_listings), query ? [] : [theirs.id], query)
    }
  })

  test("another organization's unit or target cannot be linked: it looks like none at all", async () => {
    const unit = await addUnit(owner)
    const target = await addTarget(owner)
    const theirs = await addListing(stranger)
    const link = { unit_id: unit.id, channel_target_id: target.id, external_id: 'x' }
    const foreignUnit = { ...link, unit_id: theirs.unit_id }
    expectProblem(await owner.post(path, foreignUnit), 422, 'reference-not-found', '/unit_id')
    const foreignTarget = { ...link, channel_target_id: theirs.channel_target_id }
    expectProblem(await owner.post(path, foreignTarget), 422, 'reference-not-found', '/channel_target_id')
    const { id } = await addListing(owner, link)
    expectProblem(await owner.put(`${path}/${id}`, foreignUnit), 422, 'reference-not-found', '/unit_id')
    expectProblem(await owner.put(`${path}/${id}`, foreignTarget), 422, 'reference-not-found')
  })

  test('accepts an external id that another organization uses', async () => {
    await addListing(owner, { external_id: 'shared' })
    await addListing(stranger, { external_id: 'shared' })
  })

  test('rejects a unit and a target of different accounts', async () => {
    const second = await addAccount(world, world.home.id, 'Second')
    const unit = await addUnit(owner)
    const target = await addTarget(owner, { account_id: second })
    const link = { unit_id: unit.id, channel_target_id: target.id, external_id: 'x' }
    expectProblem(await owner.post(path, link), 422, 'semantic-error', '/channel_target_id')
    const fitting = { ...link, channel_target_id: (await addTarget(owner)).id, account_id: second }
    expectProblem(await owner.post(path, fitting), 422, 'semantic-error', '/account_id')
  })

  test('needs permission to read and to write', async () => {
    const listing = await addListing(owner)
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${listing.id}`), 200)
    for (const reply of [
      await viewer.post(path, listing),
      await viewer.put(`${path}/${listing.id}`, listing),
      await viewer.delete(`${path}/${listing.id}`),
    ])
      expectProblem(reply, 403, 'forbidden')
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
  })
})
