import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { addLinkedUnit, type LinkedUnit } from '#test/linked-units.ts'
import { bookingsOf } from '#test/pms-bookings.ts'
import { addListing, addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

/** Bookings of a PMS whose target was deleted and connected again. */

const { world, owner } = shareWorld({ workers: true })
let revision = 0

async function send({ targetId, externalId }: LinkedUnit, type: string, fields: object = {}) {
  const data = {
    external_id: 'R-1',
    unit_external_id: externalId,
    check_in: '2031-07-01',
    check_out: '2031-07-04',
    revised_at: new Date(Date.UTC(2026, 0, 1, 0, ++revision)).toISOString(),
    ...fields,
  }
  const message = { id: `evt_${revision}`, type, data }
  expectStatus(await world.caller(null).post(`/webhooks/pms/${targetId}`, message), 200)
  await world.settled()
}

/** A unit with two rooms and one booking of the PMS. */
async function begin(): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner)
  expectStatus(await owner.patch(`/api/v1/units/${linked.unitId}`, { quantity: 2 }), 200)
  await send(linked, 'booking.created')
  return linked
}

async function connectAgain(linked: LinkedUnit): Promise<LinkedUnit> {
  expectStatus(await owner.delete(`/api/v1/channel-listings/${linked.listingId}`), 204)
  expectStatus(await owner.delete(`/api/v1/channel-targets/${linked.targetId}`), 204)
  const { id: targetId } = await addTarget(owner)
  const link = { unit_id: linked.unitId, channel_target_id: targetId, external_id: linked.externalId }
  return { ...linked, targetId, listingId: (await addListing(owner, link)).id }
}

const storyOf = async ({ unitId }: LinkedUnit) =>
  (await bookingsOf(owner, unitId)).map(({ id, status, arrival }) => [id, status, arrival])

suite('bookings of a target that was deleted', () => {
  test('belong to the target that sends them next, and take their rooms once', async () => {
    const linked = await begin()
    const [booking] = await bookingsOf(owner, linked.unitId)
    const again = await connectAgain(linked)
    await send(again, 'booking.updated', { guest_name: 'Ada' })
    assert.deepEqual(await storyOf(again), [[booking!.id, 'confirmed', '2031-07-01']])
    await send(again, 'booking.updated', { check_in: '2031-07-02' })
    await send(again, 'booking.cancelled', { check_in: '2031-07-02' })
    assert.deepEqual(await storyOf(again), [[booking!.id, 'cancelled', '2031-07-02']])
  })

  test('are cancelled by it', async () => {
    const linked = await begin()
    const [booking] = await bookingsOf(owner, linked.unitId)
    const again = await connectAgain(linked)
    await send(again, 'booking.cancelled')
    assert.deepEqual(await storyOf(again), [[booking!.id, 'cancelled', '2031-07-01']])
  })

  test('stay as they are when another PMS uses the same id for another stay', async () => {
    const linked = await begin()
    const [booking] = await bookingsOf(owner, linked.unitId)
    const again = await connectAgain(linked)
    await send(again, 'booking.created', { check_in: '2031-08-01', check_out: '2031-08-02' })
    const others = (await storyOf(again)).filter(([id]) => id !== booking!.id)
    assert.deepEqual([others.length, await storyOf(again).then(({ length }) => length)], [1, 2])
  })
})
