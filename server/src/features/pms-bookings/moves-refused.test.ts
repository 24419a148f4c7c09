import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { retryBookingConflicts } from '#features/upkeep/upkeep.ts'
import { channexWorld, openProperty } from '../../../test/channex-live.ts'
import { expectStatus } from '../../../test/expect.ts'
import { conflictsOf, openAlerts } from '../../../test/pms-bookings.ts'
import { addBooking } from '../../../test/records.ts'
import { reservations } from '../../../test/reservations.ts'

/** A booking that the PMS moves to a room that cannot take it here. */

const street = channexWorld()
const { line, placesOf, idAt, read, typesOf, modify, begin } = reservations(street)

suite('a booking of a PMS that moves to another room type: where it cannot', () => {
  test('to a room that is full: it keeps its room and a conflict names the nights, until there is room', async () => {
    const house = await openProperty(street, { rooms: 2, quantity: 1 })
    const reservation = await begin(house, [line(house, 0, 5, 8)])
    const id = idAt(await placesOf(house), `0 ${house.day(5)}`)
    const unitId = house.rooms[1]!.unitId
    const taken = await addBooking(street.owner, { unitId, checkIn: house.day(6), checkOut: house.day(7) })

    await modify(house, reservation, [line(house, 1, 5, 8)])
    assert.deepEqual(await placesOf(house), { [id]: `0 ${house.day(5)}` })
    const [conflict, ...others] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [conflict!.reason, conflict!.unit_id, conflict!.booking_id, conflict!.status],
      ['no_room', unitId, id, 'open'],
    )
    assert.ok(conflict!.message.includes(house.day(6)), conflict!.message)
    assert.ok(!conflict!.message.includes(house.day(5)), conflict!.message)
    assert.match(JSON.stringify(conflict!.conflicts), new RegExp(taken.id as string))
    assert.equal((await openAlerts(street.owner, house.targetId)).length, 1)

    expectStatus(await street.owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    await retryBookingConflicts(street.world.resources)
    await street.world.settled()
    assert.deepEqual(await placesOf(house), { [id]: `1 ${house.day(5)}` })
    assert.deepEqual(await typesOf(id), ['booking.created', 'booking.updated'])
    assert.deepEqual(await openAlerts(street.owner, house.targetId), [])
  })

  test('to a room that is not linked: it keeps its room, and moves when the room is linked', async () => {
    const house = await openProperty(street, { rooms: 2 })
    const { roomTypeId, listingId, unitId } = house.rooms[1]!
    const { channel_listing } = expectStatus(
      await street.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    expectStatus(await street.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const reservation = await begin(house, [line(house, 0, 5, 7), line(house, 0, 10, 12)])
    const before = await placesOf(house)
    const id = idAt(before, `0 ${house.day(5)}`)

    await modify(house, reservation, [line(house, 1, 5, 7), line(house, 0, 10, 12)])
    assert.deepEqual(await placesOf(house), before)
    const [conflict] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_room', id])
    // It is still this line that is meant when the next revision changes another one.
    await modify(house, reservation, [line(house, 0, 10, 13), line(house, 1, 5, 7)])
    assert.equal((await placesOf(house))[id], `0 ${house.day(5)}`)
    assert.equal((await conflictsOf(street.owner, house.targetId)).length, 1)

    expectStatus(
      await street.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: house.targetId,
        external_id: roomTypeId,
        rate_plans: channel_listing.rate_plans,
      }),
      201,
    )
    await retryBookingConflicts(street.world.resources)
    await street.world.settled()
    assert.equal((await placesOf(house))[id], `1 ${house.day(5)}`)
    assert.deepEqual(await typesOf(id), ['booking.created', 'booking.updated'])
    const [closed] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', id])
  })

  test('a cancellation while it waits for room cancels it, and the conflict with it', async () => {
    const house = await openProperty(street, { rooms: 2, quantity: 1 })
    const reservation = await begin(house, [line(house, 0, 5, 7)])
    const id = idAt(await placesOf(house), `0 ${house.day(5)}`)
    const unitId = house.rooms[1]!.unitId
    await addBooking(street.owner, { unitId, checkIn: house.day(5), checkOut: house.day(6) })
    await modify(house, reservation, [line(house, 1, 5, 7)])
    await modify(house, reservation, [line(house, 1, 5, 7)], { status: 'cancelled' })
    assert.equal((await read(id)).status, 'cancelled')
    const statuses = (await conflictsOf(street.owner, house.targetId)).map(({ status }) => status)
    assert.deepEqual(statuses, ['resolved'])
  })
})
