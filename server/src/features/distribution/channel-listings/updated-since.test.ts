import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { expectStatus, ids } from '#test/expect.ts'
import { addBooking, addSpace } from '#test/records.ts'
import {
  clearPmsFaults,
  addPmsFault,
  addLinkedUnit,
  setPrice,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

afterEach(() => clearPmsFaults(world))

const path = '/api/v1/channel-listings'
const read = async ({ listingId }: LinkedUnit) =>
  expectStatus(await owner.get(`${path}/${listingId}`), 200).channel_listing
const list = async (query: string) => expectStatus(await owner.get(`${path}?${query}`), 200).channel_listings
const reaches = (linked: LinkedUnit, status: string, after = '') =>
  until(
    () => read(linked),
    (seen) => seen.status === status && seen.last_synced_at !== null && seen.updated_at > after,
  )

suite('updated_at of a listing', () => {
  test('changes when the listing is synced, fails and recovers', async () => {
    const other = await addLinkedUnit(owner)
    await reaches(other, 'active')
    const linked = await addLinkedUnit(owner)
    const synced = await reaches(linked, 'active')
    await world.settled()
    assert.ok(synced.updated_at >= synced.last_synced_at)
    await addPmsFault(world, linked, { mode: 'refuse', status: 422, times: 1 })
    await setPrice(owner, linked, 25_000)
    const failed = await reaches(linked, 'error', synced.updated_at)
    assert.ok(failed.error_message)
    await setPrice(owner, linked, 26_000)
    const recovered = await reaches(linked, 'active', failed.updated_at)
    await setPrice(owner, linked, 27_000)
    // The status does not change, only the time of the last sync.
    const again = await reaches(linked, 'active', recovered.updated_at)
    assert.ok(again.last_synced_at > recovered.last_synced_at)
  })

  test('does not change when another listing is pushed', async () => {
    const linked = await addLinkedUnit(owner)
    const other = await addLinkedUnit(owner)
    await reaches(linked, 'active')
    await reaches(other, 'active')
    await world.settled()
    const [{ updated_at }, before] = [await read(linked), await read(other)]
    await setPrice(owner, other, 25_000)
    await reaches(other, 'active', before.updated_at)
    await world.settled()
    assert.equal((await read(linked)).updated_at, updated_at)
  })

  test('changes when the listing is paused', async () => {
    const linked = await addLinkedUnit(owner)
    await reaches(linked, 'active')
    await world.settled()
    const { updated_at } = await read(linked)
    expectStatus(await owner.post(`${path}/${linked.listingId}/pause`), 201)
    const paused = await read(linked)
    assert.ok(paused.updated_at > updated_at)
    assert.deepEqual(ids(await list(`sort=-updated_at&limit=1`)), [linked.listingId])
    assert.deepEqual(ids(await list(`updated_since=${paused.updated_at}`)), [linked.listingId])
  })

  test('is used by updated_since and sort on every page', async () => {
    const linked = [await addLinkedUnit(owner), await addLinkedUnit(owner), await addLinkedUnit(owner)]
    const synced = await Promise.all(linked.map((one) => reaches(one, 'active')))
    await world.settled()
    const [first] = linked
    await addPmsFault(world, first!, { mode: 'refuse', status: 422, times: 1 })
    await setPrice(owner, first!, 25_000)
    const failed = await reaches(first!, 'error', synced[0].updated_at)
    assert.deepEqual(ids(await list(`updated_since=${failed.updated_at}`)), [first!.listingId])
    const after = new Date(Date.parse(failed.updated_at) + 1).toISOString()
    assert.deepEqual(await list(`updated_since=${after}`), [])
    const whole = await list('sort=-updated_at&limit=100')
    assert.equal(whole[0].id, first!.listingId)
    const times = whole.map((one: { updated_at: string }) => one.updated_at)
    assert.deepEqual(times, times.toSorted().reverse())
    const seen: string[] = []
    for (let next: string | null = `${path}?sort=-updated_at&limit=1`; next;) {
      const page: { channel_listings: { id: string }[]; next_cursor: string | null } = expectStatus(
        await owner.get(next),
        200,
      )
      seen.push(...ids(page.channel_listings))
      next = page.next_cursor && `${path}?sort=-updated_at&limit=1&cursor=${page.next_cursor}`
    }
    assert.deepEqual(seen, ids(whole))
  })
})

suite('updated_at of other records', () => {
  test('changes for a target with its health check', async () => {
    const { targetId } = await addLinkedUnit(owner)
    const target = async () =>
      expectStatus(await owner.get(`/api/v1/channel-targets/${targetId}`), 200).channel_target
    const { last_health_check_at, updated_at, created_at } = await until(
      target,
      (seen) => seen.last_health_check_at !== null,
    )
    assert.ok(updated_at > created_at)
    assert.ok(updated_at >= last_health_check_at)
  })

  test('changes for a booking when its unit moves to another space', async () => {
    const { unitId } = await addLinkedUnit(owner)
    const booking = await expectStatus(
      await owner.get(`/api/v1/bookings/${(await addBooking(owner, { unitId })).id}`),
      200,
    ).booking
    const { id: space_id } = await addSpace(owner)
    expectStatus(await owner.patch(`/api/v1/units/${unitId}`, { space_id }), 200)
    const moved = expectStatus(await owner.get(`/api/v1/bookings/${booking.id}`), 200).booking
    assert.equal(moved.spaceId, space_id)
    assert.ok(moved.updatedAt > booking.updatedAt)
  })
})
