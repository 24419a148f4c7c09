import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addUnit, unknownId } from '#test/records.ts'
import {
  callsFor,
  clearPmsFaults,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

afterEach(() => clearPmsFaults(world))

const retry = (body: object, caller = owner) => caller.post('/api/v1/sync/retries', body)
const replay = (body: object, caller = owner) => caller.post('/api/v1/sync/replays', body)
const syncProperty = (property_id: string, caller = owner) =>
  caller.post('/api/v1/connectors/pms/sync', { property_id })

async function settledLink(): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner)
  await world.settled()
  return linked
}

/** A listing whose last push was refused; the PMS would take the next one. */
async function failedLink(status = 422): Promise<LinkedUnit> {
  const linked = await settledLink()
  await addPmsFault(world, linked, { mode: 'refuse', status, calendar: true })
  await setPrice(owner, linked, 25_000)
  await until(
    () => statusOf(owner, linked),
    (seen) => seen.status === 'failed',
  )
  await clearPmsFaults(world)
  return linked
}

const arrived = (linked: LinkedUnit) =>
  until(
    () => statusOf(owner, linked),
    ({ status, in_sync }) => status === 'completed' && in_sync,
  )

const setListing = async (linked: LinkedUnit, status: string) =>
  expectStatus(
    await owner.put(`/api/v1/channel-listings/${linked.listingId}`, {
      unit_id: linked.unitId,
      channel_target_id: linked.targetId,
      external_id: linked.externalId,
      status,
    }),
    200,
  )

const idsIn = ({ listings }: { listings: { channel_listing_id: string }[] }) =>
  listings.map(({ channel_listing_id }) => channel_listing_id).sort()

suite('retries: happy', () => {
  test('pushes one failed listing with the returned job', async () => {
    const linked = await failedLink()
    const made = expectStatus(await retry({ channel_listing_id: linked.listingId }), 201).retry
    assert.equal(made.queued, 1)
    assert.deepEqual(made.listings, [
      { channel_listing_id: linked.listingId, job_id: made.listings[0].job_id, status: 'pending' },
    ])
    await arrived(linked)
    const last = (await historyOf(owner, linked)).at(-1) as { job_id?: string; trigger: string }
    assert.deepEqual([last.trigger, last.job_id], ['retry', made.listings[0].job_id])
  })

  test('retries all listings with a cause, or all failed ones, and no others', async () => {
    const [refused, unknown, well] = [await failedLink(422), await failedLink(404), await settledLink()]
    const byCause = expectStatus(await retry({ error_code: 'mapping_not_found' }), 201).retry
    assert.deepEqual(idsIn(byCause), [unknown.listingId])
    await arrived(unknown)
    const rest = expectStatus(await retry({}), 201).retry
    assert.deepEqual(idsIn(rest), [refused.listingId])
    await arrived(refused)
    assert.equal((await historyOf(owner, well)).filter(({ trigger }) => trigger === 'retry').length, 0)
  })

  test('retries those of a target, except paused ones', async () => {
    const [linked, other] = [await failedLink(), await failedLink()]
    assert.deepEqual(idsIn(expectStatus(await retry({ channel_target_id: linked.targetId }), 201).retry), [
      linked.listingId,
    ])
    await arrived(linked)
    await setListing(other, 'paused')
    const none = expectStatus(await retry({ channel_target_id: other.targetId }), 201).retry
    assert.deepEqual(none, { queued: 0, listings: [] })
    expectProblem(await retry({ channel_listing_id: other.listingId }), 409, 'listing-paused')
  })
})

suite('retries: error', () => {
  test('returns 409 for a listing that has not failed, or failed with another cause', async () => {
    const well = await settledLink()
    expectProblem(await retry({ channel_listing_id: well.listingId }), 409, 'not-failed')
    const failed = await failedLink()
    const elsewise = { channel_listing_id: failed.listingId, error_code: 'network' }
    expectProblem(await retry(elsewise), 409, 'not-failed')
    const elsewhere = { channel_listing_id: failed.listingId, channel_target_id: well.targetId }
    expectProblem(await retry(elsewhere), 404, 'not-found')
    assert.equal((await statusOf(owner, failed)).status, 'failed')
  })

  test('rejects unknown ids and members, and empty bodies', async () => {
    expectProblem(await retry({ channel_listing_id: unknownId }), 404, 'not-found')
    expectProblem(await retry({ channel_target_id: unknownId }), 404, 'not-found')
    expectProblem(await retry({ error_code: 'bad luck' }), 400, 'validation-error', '/error_code')
    expectProblem(await retry({ everything: true }), 400, 'validation-error', '/everything')
  })
})

suite('replays', () => {
  test('sends a listing in full although nothing differs', async () => {
    const linked = await settledLink()
    const before = (await callsFor(world, linked)).length
    const made = expectStatus(await replay({ channel_listing_id: linked.listingId }), 201).replay
    assert.deepEqual([made.queued, idsIn(made)], [1, [linked.listingId]])
    await arrived(linked)
    assert.ok((await callsFor(world, linked)).length > before)
    const last = (await historyOf(owner, linked)).at(-1) as { mode?: string; trigger: string }
    assert.deepEqual([last.mode, last.trigger], ['full', 'manual'])
  })

  test('sends all listings of a target, except paused ones', async () => {
    const linked = await settledLink()
    const more = await addListing(owner, { channel_target_id: linked.targetId })
    const paused = await addListing(owner, { channel_target_id: linked.targetId, status: 'paused' })
    await world.settled()
    const made = expectStatus(await replay({ channel_target_id: linked.targetId }), 201).replay
    assert.deepEqual(idsIn(made), [linked.listingId, more.id as string].sort())
    assert.ok(!idsIn(made).includes(paused.id as string))
    await arrived(linked)
  })

  test('requires either a listing or a target, and an active one', async () => {
    const linked = await settledLink()
    expectProblem(await replay({}), 400, 'validation-error')
    const both = { channel_listing_id: linked.listingId, channel_target_id: linked.targetId }
    expectProblem(await replay(both), 400, 'validation-error')
    expectProblem(await replay({ channel_listing_id: unknownId }), 404, 'not-found')
    const off = { channel_type: 'pms', name: 'Off', status: 'inactive' }
    expectStatus(await owner.put(`/api/v1/channel-targets/${linked.targetId}`, off), 200)
    expectProblem(await replay({ channel_target_id: linked.targetId }), 409, 'target-inactive')
    expectProblem(await replay({ channel_listing_id: linked.listingId }), 409, 'target-inactive')
  })
})

suite('connector sync', () => {
  test('syncs every listing of the property, and reports the skipped ones', async () => {
    const linked = await settledLink()
    const second = await addUnit(owner, { space_id: linked.spaceId })
    const paused = { unit_id: second.id as string, channel_target_id: linked.targetId, status: 'paused' }
    await addListing(owner, paused)
    await world.settled()
    const made = expectStatus(await syncProperty(linked.spaceId), 201)
    assert.deepEqual(made, {
      job_id: made.listings[0].job_id,
      property_id: linked.spaceId,
      status: 'pending',
      queued: 1,
      skipped: 1,
      listings: [{ channel_listing_id: linked.listingId, job_id: made.job_id, status: 'pending' }],
    })
    await arrived(linked)
    assert.equal((await historyOf(owner, linked)).at(-1)?.trigger, 'connector')
  })

  test('completes at once for a property without listings, and once per key', async () => {
    const unit = await addUnit(owner)
    const ask = () =>
      owner.post(
        '/api/v1/connectors/pms/sync',
        { property_id: unit.space_id as string },
        { 'idempotency-key': 'connector' },
      )
    const [one, again] = [await ask(), await ask()]
    assert.deepEqual([expectStatus(one, 201).job_id, one.body.status], [null, 'completed'])
    assert.deepEqual([one.body.queued, one.body.skipped, one.body.listings], [0, 0, []])
    assert.deepEqual(again.body, one.body)
  })

  test('allows owners and admins only, whatever a token lists', async () => {
    const { spaceId } = await settledLink()
    expectStatus(await syncProperty(spaceId, await world.home.as('admin')), 201)
    expectProblem(await syncProperty(spaceId, await world.home.as('manager')), 403, 'forbidden')
    const machine = await world.home.as('service', { permissions: ['connectors:write'] })
    expectProblem(await syncProperty(spaceId, machine), 403, 'admin-required')
    expectProblem(await syncProperty(unknownId), 404, 'not-found')
  })
})

suite('retries and replays: security', () => {
  test('returns 404 for records of another organization, and does not retry its failures', async () => {
    const linked = await failedLink()
    const stranger = await world.away.as('owner')
    expectProblem(await retry({ channel_listing_id: linked.listingId }, stranger), 404, 'not-found')
    expectProblem(await retry({ channel_target_id: linked.targetId }, stranger), 404, 'not-found')
    expectProblem(await replay({ channel_listing_id: linked.listingId }, stranger), 404, 'not-found')
    expectProblem(await replay({ channel_target_id: linked.targetId }, stranger), 404, 'not-found')
    expectProblem(await syncProperty(linked.spaceId, stranger), 404, 'not-found')
    assert.equal(expectStatus(await retry({}, stranger), 201).retry.queued, 0)
    assert.equal((await statusOf(owner, linked)).status, 'failed')
  })

  test('returns 403 to readers', async () => {
    const viewer = await world.home.as('viewer')
    expectProblem(await retry({}, viewer), 403, 'forbidden')
    expectProblem(await replay({ channel_listing_id: unknownId }, viewer), 403, 'forbidden')
  })
})
