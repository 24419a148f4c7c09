import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { enqueueConflictRetries } from './jobs.ts'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import {
  bookingsOf,
  conflictsOf,
  readFeed,
  openAlerts,
  poll,
  roomLine,
  roomsAtChannex,
  sendBooking,
} from '#test/pms-bookings.ts'
import { until } from '#test/linked-units.ts'

/** Bookings of rooms and rate plans that are linked later. */

const setup = channexWorld({ limited: false })

const retried = async () => {
  await enqueueConflictRetries(setup.world.resources)
  await setup.world.settled()
}
const lines = async (house: Property) =>
  (await bookingsOf(setup.owner, house.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('bookings of unlinked rooms: happy', () => {
  test('acknowledges a booking of an unlinked room, and applies it when the room is linked', async () => {
    const house = await openProperty(setup, { rooms: 2 })
    const { listingId, unitId, roomTypeId, plans } = house.rooms[1]!
    const listing = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    ).channel_listing
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const rooms = [0, 1].map((n) =>
      roomLine(house, {
        roomTypeId: house.rooms[n]!.roomTypeId,
        planId: house.rooms[n]!.plans[0]!.externalId,
        from: 10,
        to: 12,
      }),
    )
    const { attributes } = await sendBooking(setup, house, { rooms })
    await poll(setup.world)
    assert.deepEqual(await readFeed(setup, house), [])
    assert.equal((await lines(house)).length, 1, 'the room that is linked is taken')
    const [conflict] = await conflictsOf(setup.owner, house.targetId, '&status=open')
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.unit_id],
      ['unlinked_room', `${attributes.booking_id}#${roomTypeId}`, null],
    )
    assert.equal((await openAlerts(setup.owner, house.targetId)).length, 1)
    expectStatus(
      await setup.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: house.targetId,
        external_id: roomTypeId,
        rate_plans: listing.rate_plans,
      }),
      201,
    )
    await retried()
    const [booking] = await bookingsOf(setup.owner, unitId)
    assert.deepEqual([booking!.status, booking!.ratePlanId], ['confirmed', plans[0]!.id])
    const [closed] = await conflictsOf(setup.owner, house.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', booking!.id])
    assert.deepEqual(await openAlerts(setup.owner, house.targetId), [])
    await until(
      () => roomsAtChannex(setup, house, 1, 10),
      (shown) => shown === 2,
    )
  })

  test('applies a booking of an unlinked rate plan, and records a conflict', async () => {
    const house = await openProperty(setup, { plans: 2 })
    const { listingId, roomTypeId, plans, unitId } = house.rooms[0]!
    const { channel_listing } = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    const link = (rate_plans: object[]) =>
      setup.owner.put(`/api/v1/channel-listings/${listingId}`, {
        unit_id: unitId,
        channel_target_id: house.targetId,
        external_id: roomTypeId,
        rate_plans,
      })
    expectStatus(await link(channel_listing.rate_plans.slice(0, 1)), 200)
    const planId = plans[1]!.externalId
    await sendBooking(setup, house, { rooms: [roomLine(house, { roomTypeId, planId, from: 10, to: 12 })] })
    await poll(setup.world)
    const [booking] = await lines(house)
    const [conflict] = await conflictsOf(setup.owner, house.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_plan', booking!.id])
    expectStatus(await link(channel_listing.rate_plans), 200)
    await retried()
    assert.deepEqual(
      (await lines(house)).map(({ ratePlanId }) => ratePlanId),
      [plans[1]!.id],
    )
    assert.equal((await conflictsOf(setup.owner, house.targetId))[0]!.status, 'resolved')
  })
})
