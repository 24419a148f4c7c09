import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { atomically } from '#db/scope.ts'
import {
  atPms,
  callsFor,
  clearPmsFaults,
  heldReply,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'

const { world, owner } = shareWorld({ workers: true })

suite('sync trigger: happy', () => {
  test('returns the job and the initial state', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const reply = await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.equal(reply.status, 201, reply.text)
    const { job_id, queued_at, last_synced_at, verified_at, behind_since, ...rest } = reply.body
    assert.match(job_id, /^[0-9a-f-]{36}$/)
    assert.ok(Date.parse(queued_at) > 0 && Date.parse(last_synced_at) > 0 && Date.parse(verified_at) > 0)
    assert.ok(Date.parse(behind_since) > Date.parse(last_synced_at))
    assert.deepEqual(rest, {
      channel_listing_id: linked.listingId,
      status: 'pending',
      error_message: null,
      error_code: null,
      attempts: 0,
      next_attempt_at: null,
      in_sync: false,
      pending_changes: 1,
      stale: false,
      warnings: [],
      verification: 'verified',
      unverified_since: null,
      mode: 'delta',
      trigger: 'manual',
      coalesced: false,
    })
    await world.settled()
    const { audit } = (await owner.get(`/api/v1/sync/audit?job_id=${job_id}`)).body
    assert.deepEqual(audit.map(({ action }: { action: string }) => action).sort(), [
      'sync.started',
      'sync.verified',
    ])
  })

  test('reads the PMS back when nothing differs, and repairs changes made there', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await fetch(`${world.pms.url}/properties/${linked.targetId}/units/${linked.externalId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ base_price_cents: 1 }),
    })
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 10_000)
    assert.equal((await historyOf(owner, linked)).at(-1)?.action, 'sync.repaired')
  })

  test('sends everything with mode full, whatever the PMS has', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId, mode: 'full' })
    await world.settled()
    assert.deepEqual(
      (await callsFor(world, linked)).map(({ method }) => method),
      ['PUT', 'PUT'],
    )
  })

  test('two concurrent triggers share one job', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await addPmsFault(world, linked, heldReply)
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId, mode: 'full' })
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    const again = await Promise.all(
      [1, 2, 3].map(() =>
        owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId, mode: 'full' }),
      ),
    )
    assert.deepEqual(
      again.map(({ status, body }) => [status, body.coalesced]),
      [
        [201, true],
        [201, true],
        [201, true],
      ],
    )
    assert.equal(new Set(again.map(({ body }) => body.job_id)).size, 1)
    await clearPmsFaults(world)
    await world.settled()
    assert.equal((await callsFor(world, linked)).length, 3)
  })

  test('responds at once during a push, and reads the PMS back after it', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 12_300)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    const reply = await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.equal(reply.status, 201, reply.text)
    assert.equal(reply.body.coalesced, true)
    await clearPmsFaults(world)
    await world.settled()
    const last = (await historyOf(owner, linked)).at(-1)
    assert.deepEqual([last?.action, last?.trigger], ['sync.verified', 'manual'])
    assert.equal((await statusOf(owner, linked)).in_sync, true)
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 12_300)
  })

  test('the same Idempotency-Key triggers once', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const ask = () =>
      owner.post(
        '/api/v1/sync/trigger',
        { channel_listing_id: linked.listingId },
        { 'idempotency-key': 'again' },
      )
    const [first, second] = [await ask(), await ask()]
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(second.body, first.body)
  })
})

suite('sync trigger: manual request', () => {
  test('is kept when a change follows before it is done', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const { database } = world.resources
    const actor = { type: 'user' as const, id: 'test', name: 'Test' }
    const accountId = world.home.accountId
    const scope = { orgId: world.home.id, accountId, actor, traceparent: null, database }
    await atomically(scope, async (transaction) => {
      await requestSync(transaction, { listingId: linked.listingId }, 'manual')
      await requestSync(transaction, { listingId: linked.listingId }, 'change')
    })
    await world.settled()
    assert.equal((await historyOf(owner, linked)).at(-1)?.action, 'sync.verified')
  })
})

suite('sync trigger: error', () => {
  test('returns 409 for a paused listing and an inactive target, and pushes their changes later', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const listing = {
      unit_id: linked.unitId,
      channel_target_id: linked.targetId,
      external_id: linked.externalId,
    }
    const place = `/api/v1/channel-listings/${linked.listingId}`
    assert.equal((await owner.put(place, { ...listing, status: 'paused' })).status, 200)
    await setPrice(owner, linked, 15_000)
    const refused = await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.deepEqual([refused.status, refused.body.code], [409, 'listing-paused'])
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 10_000)
    assert.equal((await owner.put(place, { ...listing, status: 'active' })).status, 200)
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 15_000)

    const target = `/api/v1/channel-targets/${linked.targetId}`
    const off = await owner.put(target, { channel_type: 'pms', name: 'Off', status: 'inactive' })
    assert.equal(off.body.channel_target.status, 'inactive')
    const inactive = await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.deepEqual([inactive.status, inactive.body.code], [409, 'target-inactive'])
    await setPrice(owner, linked, 16_000)
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 15_000)
    await owner.put(target, { channel_type: 'pms', name: 'On', status: 'active' })
    await world.settled()
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 16_000)
    assert.equal((await owner.get(target)).body.channel_target.status, 'active')
  })

  test('returns 404 for an unknown listing, and 400 without one', async () => {
    const unknown = await owner.post('/api/v1/sync/trigger', {
      channel_listing_id: '7b0f3c58-1c5e-4b8f-9a60-0b6d2f4f1a11',
    })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not-found'])
    assert.equal((await owner.post('/api/v1/sync/trigger', {})).status, 400)
  })
})

suite('sync trigger: security', () => {
  test('returns 404 for a listing of another organization, for every operation', async () => {
    const linked = await addLinkedUnit(owner)
    const stranger = await world.away.as('owner')
    const trigger = await stranger.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.equal(trigger.status, 404)
    assert.equal((await stranger.get(`/api/v1/sync/status/${linked.listingId}`)).status, 404)
    const audit = await stranger.get(`/api/v1/sync/audit?channel_listing_id=${linked.listingId}`)
    assert.deepEqual(audit.body.audit, [])
    assert.deepEqual((await stranger.get('/api/v1/sync/status')).body.sync_statuses, [])
  })

  test('a viewer may read but not trigger', async () => {
    const linked = await addLinkedUnit(owner)
    const viewer = await world.home.as('viewer')
    assert.equal((await viewer.get(`/api/v1/sync/status/${linked.listingId}`)).status, 200)
    const refused = await viewer.post('/api/v1/sync/trigger', { channel_listing_id: linked.listingId })
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  })
})
