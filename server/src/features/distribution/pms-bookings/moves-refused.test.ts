import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { enqueueConflictRetries } from './jobs.ts'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { conflictsOf, openAlerts } from '#test/pms-bookings.ts'
import { addBooking } from '#test/records.ts'
import { reservations } from '#test/reservations.ts'

/** A booking that the PMS moves to a room that is not available here. */

const setup = channexWorld({ limited: false })
const { line, placesOf, idAt, read, typesOf, modify, begin } = reservations(setup)

suite('a booking of a PMS that moves to another room type: where it cannot', () => {
  test('keeps its room with a conflict until the full room has space', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 1 })
    const reservation = await begin(property, [line(property, 0, 5, 8)])
    const id = idAt(await placesOf(property), `0 ${property.day(5)}`)
    const unitId = property.rooms[1]!.unitId
    const taken = await addBooking(setup.owner, {
      unitId,
      checkIn: property.day(6),
      checkOut: property.day(7),
    })

    await modify(property, reservation, [line(property, 1, 5, 8)])
    assert.deepEqual(await placesOf(property), { [id]: `0 ${property.day(5)}` })
    const [conflict, ...others] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [conflict!.reason, conflict!.unit_id, conflict!.booking_id, conflict!.status],
      ['no_room', unitId, id, 'open'],
    )
    assert.ok(conflict!.message.includes(property.day(6)), conflict!.message)
    assert.ok(!conflict!.message.includes(property.day(5)), conflict!.message)
    assert.match(JSON.stringify(conflict!.conflicts), new RegExp(taken.id as string))
    assert.equal((await openAlerts(setup.owner, property.targetId)).length, 1)

    expectStatus(await setup.owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    await enqueueConflictRetries(setup.world.resources)
    await setup.world.settled()
    assert.deepEqual(await placesOf(property), { [id]: `1 ${property.day(5)}` })
    assert.deepEqual(await typesOf(id), ['booking.created', 'booking.updated'])
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
  })

  test('keeps its room until the new room is linked', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const { roomTypeId, listingId, unitId } = property.rooms[1]!
    const { channel_listing } = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const reservation = await begin(property, [line(property, 0, 5, 7), line(property, 0, 10, 12)])
    const before = await placesOf(property)
    const id = idAt(before, `0 ${property.day(5)}`)

    await modify(property, reservation, [line(property, 1, 5, 7), line(property, 0, 10, 12)])
    assert.deepEqual(await placesOf(property), before)
    const [conflict] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_room', id])
    // The line is still matched when the next revision changes another one.
    await modify(property, reservation, [line(property, 0, 10, 13), line(property, 1, 5, 7)])
    assert.equal((await placesOf(property))[id], `0 ${property.day(5)}`)
    assert.equal((await conflictsOf(setup.owner, property.targetId)).length, 1)

    expectStatus(
      await setup.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans: channel_listing.rate_plans,
      }),
      201,
    )
    await enqueueConflictRetries(setup.world.resources)
    await setup.world.settled()
    assert.equal((await placesOf(property))[id], `1 ${property.day(5)}`)
    assert.deepEqual(await typesOf(id), ['booking.created', 'booking.updated'])
    const [closed] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', id])
  })

  test('is cancelled together with its conflict', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 1 })
    const reservation = await begin(property, [line(property, 0, 5, 7)])
    const id = idAt(await placesOf(property), `0 ${property.day(5)}`)
    const unitId = property.rooms[1]!.unitId
    await addBooking(setup.owner, { unitId, checkIn: property.day(5), checkOut: property.day(6) })
    await modify(property, reservation, [line(property, 1, 5, 7)])
    await modify(property, reservation, [line(property, 1, 5, 7)], { status: 'cancelled' })
    assert.equal((await read(id)).status, 'cancelled')
    const statuses = (await conflictsOf(setup.owner, property.targetId)).map(({ status }) => status)
    assert.deepEqual(statuses, ['resolved'])
  })
})
