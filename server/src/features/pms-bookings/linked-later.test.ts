import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { retryBookingConflicts } from '#features/upkeep/upkeep.ts'
import { channexWorld, openProperty, type Property } from '../../../test/channex-live.ts'
import { expectStatus } from '../../../test/expect.ts'
import {
  bookingsOf,
  conflictsOf,
  feedOf,
  openAlerts,
  poll,
  roomLine,
  roomsShown,
  sell,
} from '../../../test/pms-bookings.ts'
import { until } from '../../../test/stock.ts'

/** Bookings of rooms and plans that are linked only later. */

const street = channexWorld()

const retried = async () => {
  await retryBookingConflicts(street.world.resources)
  await street.world.settled()
}
const lines = async (house: Property) =>
  (await bookingsOf(street.owner, house.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('bookings of what is not linked: happy', () => {
  test('a room that is not linked: kept and acknowledged; linking it applies the booking', async () => {
    const house = await openProperty(street, { rooms: 2 })
    const { listingId, unitId, roomTypeId, plans } = house.rooms[1]!
    const listing = expectStatus(
      await street.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    ).channel_listing
    expectStatus(await street.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const rooms = [0, 1].map((n) =>
      roomLine(house, {
        roomTypeId: house.rooms[n]!.roomTypeId,
        planId: house.rooms[n]!.plans[0]!.externalId,
        from: 10,
        to: 12,
      }),
    )
    const { attributes } = await sell(street, house, { rooms })
    await poll(street.world)
    assert.deepEqual(await feedOf(street, house), [])
    assert.equal((await lines(house)).length, 1, 'the room that is linked is taken')
    const [conflict] = await conflictsOf(street.owner, house.targetId, '&status=open')
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.unit_id],
      ['unlinked_room', `${attributes.booking_id}#${roomTypeId}`, null],
    )
    assert.equal((await openAlerts(street.owner, house.targetId)).length, 1)
    expectStatus(
      await street.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: house.targetId,
        external_id: roomTypeId,
        rate_plans: listing.rate_plans,
      }),
      201,
    )
    await retried()
    const [booking] = await bookingsOf(street.owner, unitId)
    assert.deepEqual([booking!.status, booking!.ratePlanId], ['confirmed', plans[0]!.id])
    const [closed] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', booking!.id])
    assert.deepEqual(await openAlerts(street.owner, house.targetId), [])
    await until(
      () => roomsShown(street, house, 1, 10),
      (shown) => shown === 2,
    )
  })

  test('a rate plan that is not linked: the room is taken, and a person is asked', async () => {
    const house = await openProperty(street, { plans: 2 })
    const { listingId, roomTypeId, plans, unitId } = house.rooms[0]!
    const { channel_listing } = expectStatus(
      await street.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    const link = (rate_plans: object[]) =>
      street.owner.put(`/api/v1/channel-listings/${listingId}`, {
        unit_id: unitId,
        channel_target_id: house.targetId,
        external_id: roomTypeId,
        rate_plans,
      })
    expectStatus(await link(channel_listing.rate_plans.slice(0, 1)), 200)
    const planId = plans[1]!.externalId
    await sell(street, house, { rooms: [roomLine(house, { roomTypeId, planId, from: 10, to: 12 })] })
    await poll(street.world)
    const [booking] = await lines(house)
    const [conflict] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_plan', booking!.id])
    expectStatus(await link(channel_listing.rate_plans), 200)
    await retried()
    assert.deepEqual(
      (await lines(house)).map(({ ratePlanId }) => ratePlanId),
      [plans[1]!.id],
    )
    assert.equal((await conflictsOf(street.owner, house.targetId))[0]!.status, 'resolved')
  })
})
