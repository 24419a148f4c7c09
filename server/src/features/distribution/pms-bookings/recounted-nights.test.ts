import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { bookingsOf, poll, roomsAtChannex, sendBooking } from '#test/pms-bookings.ts'
import { addBooking } from '#test/records.ts'

/** Revisions after which Channex counts its rooms again, but that change nothing here. */

const setup = channexWorld({ limited: false })

/** A property whose rooms Channex counts again by itself, when a booking is cancelled or modified. */
async function openCounting(rooms = 1): Promise<Property> {
  const property = await openProperty(setup, { rooms, quantity: 1 })
  const settings = {
    allow_availability_autoupdate_on_cancellation: true,
    allow_availability_autoupdate_on_modification: true,
  }
  await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
  return property
}

const untilShown = (property: Property, night: number, rooms: number) =>
  until(
    () => roomsAtChannex(setup, property, 0, night),
    (shown) => shown === rooms,
    10,
  )
const untilClosed = (property: Property, night: number) => untilShown(property, night, 0)

suite('nights that Channex opens by itself', () => {
  test('are closed again when a user had cancelled the booking and sold its nights', async () => {
    const property = await openCounting()
    const { unitId } = property.rooms[0]!
    const { attributes } = await sendBooking(setup, property)
    await poll(setup.world)
    const [booking] = await bookingsOf(setup.owner, unitId)
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${booking!.id}`, { status: 'cancelled' }), 200)
    await addBooking(setup.owner, { unitId, checkIn: property.day(10), checkOut: property.day(12) })
    await setup.world.settled()
    assert.equal(await roomsAtChannex(setup, property, 0, 10), 0)
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'cancelled' })
    await poll(setup.world)
    await untilClosed(property, 10)
  })

  test('are closed again when a user had shortened the booking and sold its nights', async () => {
    const property = await openCounting()
    const { unitId } = property.rooms[0]!
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
    await untilClosed(property, 13)
  })

  test('are closed again when the booking cannot move to its new room', async () => {
    const property = await openCounting(2)
    const { attributes } = await sendBooking(setup, property)
    await poll(setup.world)
    const full = property.rooms[1]!.unitId
    await addBooking(setup.owner, { unitId: full, checkIn: property.day(10), checkOut: property.day(12) })
    await setup.world.settled()
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', room: 1 })
    await poll(setup.world)
    const [kept] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual([kept!.status, kept!.arrival], ['confirmed', property.day(10)])
    await untilClosed(property, 10)
  })
})

suite('nights that Channex closes by itself', () => {
  test('are opened again when the revision that moves the booking arrived before the one that closed them', async () => {
    const property = await openCounting(2)
    const booking_id = crypto.randomUUID()
    const insertedAt = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
    const moved = { booking_id, status: 'modified', room: 1, inserted_at: insertedAt(2) }
    await sendBooking(setup, property, moved)
    await poll(setup.world)
    await sendBooking(setup, property, { booking_id, inserted_at: insertedAt(1) })
    assert.equal(await roomsAtChannex(setup, property, 0, 10), 0)
    await poll(setup.world)
    await untilShown(property, 10, 1)
  })
})
