import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import {
  addLinkedUnit,
  addPmsFault,
  clearPmsFaults,
  historyOf,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { addListing, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const path = '/api/v1/sync/failures'

const { world, owner } = shareWorld({ workers: true })

const read = async (query = '', caller = owner) => expectStatus(await caller.get(`${path}${query}`), 200)
const retry = (id: string, caller = owner) => caller.post(`${path}/${id}/retry`, {})

/** Two more listings at the target of the first. */
async function addListings(first: LinkedUnit): Promise<LinkedUnit[]> {
  const more: LinkedUnit[] = []
  for (const number of [1, 2]) {
    const unit = await addUnit(owner, { space_id: first.spaceId, base_price_cents: 10_000 })
    const externalId = `${first.externalId}-${number}`
    const fields = { unit_id: unit.id, channel_target_id: first.targetId, external_id: externalId }
    const listing = await addListing(owner, fields)
    more.push({ ...first, unitId: unit.id, listingId: listing.id, externalId })
  }
  return [first, ...more]
}

async function fail(listings: readonly LinkedUnit[], status: number): Promise<void> {
  for (const [at, listing] of listings.entries()) {
    // They differ in a name, an id and numbers, as messages about one cause do.
    const message = `Room "${listing.externalId}" (${listing.listingId}) is closed from 2027-01-${10 + at}.`
    await addPmsFault(world, listing, { mode: 'refuse', status, message, calendar: true })
    await setPrice(owner, listing, 25_000)
    // One call for all of them would get one message.
    await until(
      () => statusOf(owner, listing),
      (seen) => seen.status === 'failed',
    )
  }
}

suite('sync failures', () => {
  let listings: LinkedUnit[]
  let other: LinkedUnit
  before(async () => {
    assert.deepEqual(await read(), { sync_failures: [], causes: 0, listings: 0 })
    listings = await addListings(await addLinkedUnit(owner))
    other = await addLinkedUnit(owner)
    await world.settled()
    await fail(listings, 422)
    await fail([other], 404)
  })

  test('groups failing listings by cause, the largest first', async () => {
    const { sync_failures, causes, listings: count } = await read()
    assert.deepEqual([causes, count], [2, 4])
    const [large, small] = sync_failures
    const {
      id,
      message,
      hint,
      first_at,
      last_at,
      listings: examples,
      channel_target_name,
      ...counted
    } = large
    assert.deepEqual(counted, {
      error_code: 'validation_rejected',
      channel_target_id: listings[0]!.targetId,
      retryable: false,
      count: 3,
      failed: 3,
      retrying: 0,
    })
    assert.ok(id && message && hint && channel_target_name && first_at <= last_at)
    assert.deepEqual(
      examples.map(({ channel_listing_id }: { channel_listing_id: string }) => channel_listing_id).sort(),
      listings.map(({ listingId }) => listingId).sort(),
    )
    assert.equal(examples[0].status, 'failed')
    const messages = new Set(examples.map((listing: { error_message: string }) => listing.error_message))
    assert.deepEqual([messages.size, messages.has(message)], [3, true])
    assert.deepEqual([small.error_code, small.count], ['mapping_not_found', 1])
  })

  test('lists all listings of a cause page by page, and returns 404 for an unknown one', async () => {
    const [{ id }] = (await read()).sync_failures
    const first = expectStatus(await owner.get(`${path}/${id}/listings?limit=2`), 200)
    const rest = expectStatus(
      await owner.get(`${path}/${id}/listings?limit=2&cursor=${first.next_cursor}`),
      200,
    )
    const found = [...first.failing_listings, ...rest.failing_listings] as { channel_listing_id: string }[]
    assert.deepEqual(
      found.map(({ channel_listing_id }) => channel_listing_id).sort(),
      listings.map(({ listingId }) => listingId).sort(),
    )
    expectProblem(await owner.get(`${path}/${unknownId}/listings`), 404, 'not-found')
  })

  test('filters by target and by space', async () => {
    const ofTarget = await read(`?channel_target_id=${other.targetId}`)
    const ofSpace = await read(`?space_id=${other.spaceId}`)
    assert.deepEqual([ofTarget.causes, ofTarget.listings], [1, 1])
    assert.deepEqual(ofSpace, ofTarget)
    const both = `?space_id=${other.spaceId}&space_id=${listings[0]!.spaceId}`
    assert.equal((await read(both)).listings, 4)
  })

  test('omits paused listings', async () => {
    const pause = `/api/v1/channel-listings/${other.listingId}/pause`
    const [{ id }] = (await read(`?channel_target_id=${other.targetId}`)).sync_failures
    expectStatus(await owner.post(pause, {}), 201)
    assert.equal((await read()).listings, 3)
    expectProblem(await retry(id), 404, 'not-found')
    expectStatus(await owner.delete(pause), 204)
  })

  test('shows and retries nothing of other organizations', async () => {
    const stranger = await world.away.as('owner')
    assert.equal((await read('', stranger)).listings, 0)
    const [{ id }] = (await read()).sync_failures
    expectProblem(await retry(id, stranger), 404, 'not-found')
    assert.equal((await statusOf(owner, listings[0]!)).status, 'failed')
  })

  test('allows viewers to read and managers to retry', async () => {
    const viewer = await world.home.as('viewer')
    const [{ id }] = (await read('', viewer)).sync_failures
    expectProblem(await retry(id, viewer), 403, 'forbidden')
    expectProblem(await retry(id, await world.home.as('staff')), 403, 'forbidden')
  })

  test('rejects invalid ids and parameters', async () => {
    expectProblem(await retry(unknownId), 404, 'not-found')
    expectProblem(await retry('1'), 400, 'validation-error')
    expectProblem(await owner.get(`${path}?space_id=1`), 400, 'validation-error', '/space_id')
    expectProblem(await owner.get(`${path}?cause=x`), 400, 'validation-error', '/cause')
  })

  test('retries all listings of a cause with one job', async () => {
    const [{ id }] = (await read()).sync_failures
    await clearPmsFaults(world)
    const made = expectStatus(await retry(id), 201).retry
    assert.equal(made.queued, 3)
    assert.equal(new Set(made.listings.map(({ job_id }: { job_id: string }) => job_id)).size, 1)
    for (const listing of listings)
      await until(
        () => statusOf(owner, listing),
        ({ status, in_sync }) => status === 'completed' && in_sync,
      )
    assert.equal((await historyOf(owner, listings[1]!)).at(-1)?.trigger, 'retry')
    assert.ok(!(await read()).sync_failures.some((cause: { id: string }) => cause.id === id))
    expectProblem(await retry(id), 404, 'not-found')
  })
})
