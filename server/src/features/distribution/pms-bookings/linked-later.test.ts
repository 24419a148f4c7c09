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
const lines = async (property: Property) =>
  (await bookingsOf(setup.owner, property.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('bookings of unlinked rooms: happy', () => {
  test('acknowledges a booking of an unlinked room, and applies it when the room is linked', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const { listingId, unitId, roomTypeId, plans } = property.rooms[1]!
    const listing = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    ).channel_listing
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const rooms = [0, 1].map((n) =>
      roomLine(property, {
        roomTypeId: property.rooms[n]!.roomTypeId,
        planId: property.rooms[n]!.plans[0]!.externalId,
        from: 10,
        to: 12,
      }),
    )
    const { attributes } = await sendBooking(setup, property, { rooms })
    await poll(setup.world)
    assert.deepEqual(await readFeed(setup, property), [])
    assert.equal((await lines(property)).length, 1, 'the room that is linked is taken')
    const [conflict] = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.unit_id],
      ['unlinked_room', `${attributes.booking_id}#${roomTypeId}`, null],
    )
    assert.equal((await openAlerts(setup.owner, property.targetId)).length, 1)
    expectStatus(
      await setup.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans: listing.rate_plans,
      }),
      201,
    )
    await retried()
    const [booking] = await bookingsOf(setup.owner, unitId)
    assert.deepEqual([booking!.status, booking!.ratePlanId], ['confirmed', plans[0]!.id])
    const [closed] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', booking!.id])
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
    await until(
      () => roomsAtChannex(setup, property, 1, 10),
      (shown) => shown === 2,
    )
  })

  test('applies a booking of an unlinked rate plan, and records a conflict', async () => {
    const property = await openProperty(setup, { plans: 2 })
    const { listingId, roomTypeId, plans, unitId } = property.rooms[0]!
    const { channel_listing } = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    const link = (rate_plans: object[]) =>
      setup.owner.put(`/api/v1/channel-listings/${listingId}`, {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans,
      })
    expectStatus(await link(channel_listing.rate_plans.slice(0, 1)), 200)
    const planId = plans[1]!.externalId
    await sendBooking(setup, property, {
      rooms: [roomLine(property, { roomTypeId, planId, from: 10, to: 12 })],
    })
    await poll(setup.world)
    const [booking] = await lines(property)
    const [conflict] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_plan', booking!.id])
    expectStatus(await link(channel_listing.rate_plans), 200)
    await retried()
    assert.deepEqual(
      (await lines(property)).map(({ ratePlanId }) => ratePlanId),
      [plans[1]!.id],
    )
    assert.equal((await conflictsOf(setup.owner, property.targetId))[0]!.status, 'resolved')
  })
})
