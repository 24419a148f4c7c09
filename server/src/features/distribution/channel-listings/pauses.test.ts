import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing } from '#test/records.ts'
import { atPms, changeAtPms } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld({ workers: true })

type Listing = Awaited<ReturnType<typeof addListing>>

const path = '/api/v1/channel-listings'
const read = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).channel_listing
const pause = async (id: string) => expectStatus(await owner.post(`${path}/${id}/pause`), 201).channel_listing
const resume = async (id: string) => expectStatus(await owner.delete(`${path}/${id}/pause`), 204)
const audit = async (id: string) =>
  expectStatus(await owner.get(`/api/v1/sync/audit?channel_listing_id=${id}&limit=100`), 200).audit
const statusOf = async (id: string) => expectStatus(await owner.get(`/api/v1/sync/status/${id}`), 200)
const rename = async (listing: Listing, name: string) =>
  expectStatus(await owner.patch(`/api/v1/units/${listing.unit_id}`, { name }), 200)

const overThere = ({ channel_target_id, external_id }: Listing) => ({
  targetId: channel_target_id,
  externalId: external_id,
})
/** The name of the unit at the PMS. */
const shown = async (listing: Listing) => (await atPms(world, overThere(listing)))?.['name']

async function addPushed(): Promise<Listing> {
  const listing = await addListing(owner)
  await world.settled()
  return listing
}

suite('pauses of listings: happy', () => {
  test('pushes the changes of a paused listing when it is resumed', async () => {
    const listing = await addPushed()
    const before = listing.unit.name
    const paused = await pause(listing.id)
    assert.equal(paused.status, 'paused')
    assert.deepEqual(paused, await read(listing.id))
    await rename(listing, 'Renamed in the pause')
    await world.settled()
    assert.equal(await shown(listing), before)
    assert.equal((await statusOf(listing.id)).in_sync, false)
    await resume(listing.id)
    await world.settled()
    assert.equal(await shown(listing), 'Renamed in the pause')
    assert.equal((await read(listing.id)).status, 'active')
  })

  test('corrects changes at the PMS during the pause', async () => {
    const byPut = async (listing: Listing) =>
      expectStatus(await owner.put(`${path}/${listing.id}`, { ...listing, status: 'active' }), 200)
    for (const back of [({ id }: Listing) => resume(id), byPut]) {
      const listing = await addPushed()
      await pause(listing.id)
      await changeAtPms(world, overThere(listing), { name: 'Meddled with' })
      await back(listing)
      await world.settled()
      assert.equal(await shown(listing), listing.unit.name)
      assert.equal((await audit(listing.id))[0].trigger, 'reconcile')
    }
  })

  test('ignores repeated pauses and resumes, and records each once', async () => {
    const listing = await addPushed()
    await resume(listing.id)
    const once = await pause(listing.id)
    assert.deepEqual(await pause(listing.id), once)
    await resume(listing.id)
    await resume(listing.id)
    await world.settled()
    const entries = (await audit(listing.id)).filter(({ changes }: { changes: { field: string }[] }) =>
      changes.some(({ field }) => field === 'status'),
    )
    assert.deepEqual(
      entries.map((entry: Record<string, unknown>) => [entry['action'], entry['changes']]),
      [
        ['listing.resumed', [{ field: 'status', before: 'paused', after: 'pending' }]],
        ['listing.paused', [{ field: 'status', before: 'active', after: 'paused' }]],
      ],
    )
    assert.equal(entries[0].actor.name, 'Home owner')
  })

  test('does not replay the response for another listing', async () => {
    const [first, second] = [await addPushed(), await addPushed()]
    const key = { 'idempotency-key': 'pause-it' }
    const send = (id: string) => owner.post(`${path}/${id}/pause`, undefined, key)
    expectStatus(await send(first.id), 201)
    assert.equal((await send(first.id)).headers.get('idempotent-replayed'), 'true')
    expectProblem(await send(second.id), 422, 'idempotency-key-reused')
    assert.equal((await read(second.id)).status, 'active')
  })
})

suite('pauses of listings: security', () => {
  test('returns 404 to another organization, and 403 to a viewer', async () => {
    const listing = await addPushed()
    const viewer = await world.home.as('viewer')
    const at = `${path}/${listing.id}/pause`
    expectProblem(await stranger.post(at), 404, 'not-found')
    expectProblem(await viewer.post(at), 403, 'forbidden')
    await pause(listing.id)
    expectProblem(await stranger.delete(at), 404, 'not-found')
    expectProblem(await viewer.delete(at), 403, 'forbidden')
    assert.equal((await read(listing.id)).status, 'paused')
  })
})
