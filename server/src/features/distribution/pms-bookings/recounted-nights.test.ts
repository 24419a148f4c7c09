import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { bookingsOf, poll, roomsAtChannex, sendBooking } from '#test/pms-bookings.ts'
import { addBooking } from '#test/records.ts'

/** Revisions after which Channex counts its rooms again, but that change nothing here. */

const setup = channexWorld({ limited: false })

suite('nights that Channex opens by itself', () => {
  test('are closed again when a user had cancelled the booking and sold its nights', async () => {
    const property = await openProperty(setup, { quantity: 1 })
    const { unitId } = property.rooms[0]!
    const settings = { allow_availability_autoupdate_on_cancellation: true }
    await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
    const { attributes } = await sendBooking(setup, property)
    await poll(setup.world)
    const [booking] = await bookingsOf(setup.owner, unitId)
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${booking!.id}`, { status: 'cancelled' }), 200)
    await addBooking(setup.owner, { unitId, checkIn: property.day(10), checkOut: property.day(12) })
    await setup.world.settled()
    assert.equal(await roomsAtChannex(setup, property, 0, 10), 0)
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'cancelled' })
    await poll(setup.world)
    await until(
      () => roomsAtChannex(setup, property, 0, 10),
      (shown) => shown === 0,
      10,
    )
  })

  test('are closed again when a user had shortened the booking and sold its nights', async () => {
    const property = await openProperty(setup, { quantity: 1 })
    const { unitId } = property.rooms[0]!
    const settings = { allow_availability_autoupdate_on_modification: true }
    await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
    const { attributes } = await sendBooking(setup, property, { to: 14 })
    await poll(setup.world)
    const [booking] = await bookingsOf(setup.owner, unitId)
    expectStatus(
      await setup.owner.patch(`/api/v1/bookings/${booking!.id}`, { checkOut: property.day(12) }),
      200,
    )
    await addBooking(setup.owner, { unitId, checkIn: property.day(12), checkOut: property.day(14) })
    await setup.world.settled()
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', to: 12 })
    await poll(setup.world)
    await until(
      () => roomsAtChannex(setup, property, 0, 13),
      (shown) => shown === 0,
      10,
    )
  })

  test('are closed again when the booking cannot move to its new room', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 1 })
    const settings = { allow_availability_autoupdate_on_modification: true }
    await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
    const { attributes } = await sendBooking(setup, property)
    await poll(setup.world)
    const full = property.rooms[1]!.unitId
    await addBooking(setup.owner, { unitId: full, checkIn: property.day(10), checkOut: property.day(12) })
    await setup.world.settled()
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', room: 1 })
    await poll(setup.world)
    const [kept] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual([kept!.status, kept!.arrival], ['confirmed', property.day(10)])
    await until(
      () => roomsAtChannex(setup, property, 0, 10),
      (shown) => shown === 0,
      10,
    )
  })
})
