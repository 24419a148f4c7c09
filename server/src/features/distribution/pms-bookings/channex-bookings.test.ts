import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { arriving, channexWorld, openProperty, valuesOfOne, type Property } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import {
  bookingsOf,
  conflictsOf,
  waitForEmptyFeed,
  subscribeToBookings,
  roomLine,
  roomsAtChannex,
  sendBooking,
} from '#test/pms-bookings.ts'
import { until } from '#test/linked-units.ts'

/** What Channex requires: new, modified and cancelled bookings are applied and acknowledged. */

const setup = channexWorld({ limited: false })

async function openHouse(options: Parameters<typeof openProperty>[1] = {}): Promise<Property> {
  const property = await openProperty(setup, options)
  await subscribeToBookings(setup, property)
  return property
}
const shows = (property: Property, room: number, day: number, rooms: number) =>
  until(
    () => roomsAtChannex(setup, property, room, day),
    (shown) => shown === rooms,
  )
const acksOf = async (revisionId: string) => {
  const { calls } = (await setup.control('GET', 'calls')).body
  const path = `/api/v1/booking_revisions/${revisionId}/ack`
  return (calls as { path: string; status: number }[]).filter((call) => call.path === path)
}

suite('bookings of channex: happy', () => {
  test('applies and acknowledges a new booking, and pushes the lower availability', async () => {
    const property = await openHouse({ quantity: 3 })
    const revision = await sendBooking(setup, property)
    await waitForEmptyFeed(setup, property)
    const [booking, ...others] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(others, [])
    const { attributes } = revision
    assert.deepEqual(
      { ...booking, id: null },
      {
        ...booking,
        id: null,
        unitId: property.rooms[0]!.unitId,
        ratePlanId: property.rooms[0]!.plans[0]!.id,
        status: 'confirmed',
        source: 'pms',
        guestName: 'Ada Lovelace',
        guestEmail: 'ada@guest.example',
        guestPhone: '+351 1',
        guests: 3,
        rooms: 1,
        arrival: property.day(10),
        departure: property.day(12),
        nights: 2,
        totalCents: 22_050,
        currency: 'eur',
        channelTargetId: property.targetId,
        externalId: `${attributes.booking_id}#${property.rooms[0]!.roomTypeId}`,
        notes: null,
        pms_notes: 'Booking.com BDC-77',
      },
    )
    for (const day of [10, 11]) await shows(property, 0, day, 2)
    await shows(property, 0, 12, 3)
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
  })

  test('rounds an amount with too many decimals, and takes one without a currency in that of the unit', async () => {
    const property = await openHouse({ quantity: 9 })
    const [room] = property.rooms
    const { amount: _, ...line } = roomLine(property, {
      roomTypeId: room!.roomTypeId,
      planId: room!.plans[0]!.externalId,
      from: 10,
      to: 12,
    })
    const nights = { [property.day(10)]: '110.25', [property.day(11)]: '110.256' }
    for (const sent of [
      { currency: 'JPY', rooms: [{ ...line, amount: '18000.50' }] },
      { currency: null, rooms: [{ ...line, amount: '220.50' }] },
      { currency: null, amount: '220.50', rooms: [line] },
      { currency: 'EUR', rooms: [{ ...line, days: nights }] },
    ])
      await sendBooking(setup, property, sent)
    await waitForEmptyFeed(setup, property)
    assert.deepEqual(
      (await bookingsOf(setup.owner, room!.unitId))
        .map(({ totalCents, currency }) => `${totalCents} ${currency}`)
        .toSorted(),
      ['18001 jpy', '22050 eur', '22050 eur', '22051 eur'],
    )
  })

  test('pushes the absolute availability after a modification and a cancellation', async () => {
    const property = await openHouse({ quantity: 3 })
    const { attributes } = await sendBooking(setup, property)
    await waitForEmptyFeed(setup, property)
    await shows(property, 0, 10, 2)
    const { booking_id } = attributes
    const moved = await sendBooking(setup, property, { booking_id, status: 'modified', from: 11, to: 14 })
    await shows(property, 0, 13, 2)
    await shows(property, 0, 10, 3)
    const gone = await sendBooking(setup, property, { booking_id, status: 'cancelled', from: 11, to: 14 })
    for (const day of [11, 12, 13]) await shows(property, 0, day, 3)
    await waitForEmptyFeed(setup, property)
    const [booking] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual([booking!.status, booking!.arrival], ['cancelled', property.day(11)])
    for (const { id } of [moved, gone]) assert.deepEqual((await acksOf(id)).at(-1)!.status, 200)
  })

  test('closes the nights again that Channex opens by itself after a cancellation', async () => {
    const property = await openHouse({ quantity: 1 })
    const settings = { allow_availability_autoupdate_on_cancellation: true }
    await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
    const { attributes } = await sendBooking(setup, property)
    await waitForEmptyFeed(setup, property)
    const inactive = { status: 'inactive' }
    expectStatus(await setup.owner.patch(`/api/v1/units/${property.rooms[0]!.unitId}`, inactive), 200)
    await setup.world.settled()
    const { availability } = await arriving(setup, async () => {
      await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'cancelled' })
      await waitForEmptyFeed(setup, property)
    })
    assert.deepEqual(
      valuesOfOne(availability).map((value) => [value['date_from'], value['date_to'], value['availability']]),
      [[property.day(10), property.day(11), 0]],
    )
  })

  test('creates one booking for each room, and cancels the rooms that are removed later', async () => {
    const property = await openHouse({ rooms: 2, plans: 1, quantity: 2 })
    const [one, other] = property.rooms.map(
      ({ roomTypeId, plans }) =>
        (from: number, to: number) =>
          roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from, to }),
    )
    const { attributes } = await sendBooking(setup, property, {
      rooms: [one!(5, 7), other!(5, 8), one!(6, 9)],
    })
    await waitForEmptyFeed(setup, property)
    await shows(property, 0, 6, 0)
    await shows(property, 1, 6, 1)
    const names = async (room: number) =>
      (await bookingsOf(setup.owner, property.rooms[room]!.unitId)).map((booking) => [
        booking.arrival,
        booking.departure,
        booking.status,
      ])
    assert.deepEqual(await names(0), [
      [property.day(5), property.day(7), 'confirmed'],
      [property.day(6), property.day(9), 'confirmed'],
    ])
    const { booking_id } = attributes
    await sendBooking(setup, property, { booking_id, status: 'modified', rooms: [one!(6, 9)] })
    await shows(property, 1, 6, 2)
    await shows(property, 0, 6, 1)
    await waitForEmptyFeed(setup, property)
    assert.deepEqual(await names(0), [
      [property.day(5), property.day(7), 'cancelled'],
      [property.day(6), property.day(9), 'confirmed'],
    ])
    assert.deepEqual(await names(1), [[property.day(5), property.day(8), 'cancelled']])
  })

  test('moves rooms between the lines of one booking when both units are full', async () => {
    const property = await openHouse({ quantity: 1 })
    const line = (from: number, to: number) => {
      const { roomTypeId, plans } = property.rooms[0]!
      return roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from, to })
    }
    const { attributes } = await sendBooking(setup, property, { rooms: [line(5, 7), line(7, 9)] })
    await shows(property, 0, 8, 0)
    const { booking_id } = attributes
    await sendBooking(setup, property, { booking_id, status: 'modified', rooms: [line(7, 9), line(9, 11)] })
    await waitForEmptyFeed(setup, property)
    const bookings = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(bookings.map(({ arrival, status }) => [arrival, status]).toSorted(), [
      [property.day(7), 'confirmed'],
      [property.day(9), 'confirmed'],
    ])
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
  })

  test('reaches the same bookings in any order with five copies each, and acknowledges every revision', async () => {
    const property = await openHouse({ quantity: 3 })
    await setup.control('PUT', 'deliveries', { hold: true, copies: 5 })
    const { attributes } = await sendBooking(setup, property)
    const { booking_id } = attributes
    await sendBooking(setup, property, { booking_id, status: 'modified', from: 20, to: 22 })
    await sendBooking(setup, property, { booking_id, status: 'cancelled', from: 20, to: 22 })
    const other = await sendBooking(setup, property, { from: 30, to: 32 })
    await sendBooking(setup, property, {
      booking_id: other.attributes.booking_id,
      status: 'modified',
      from: 31,
      to: 33,
    })
    await setup.control('PUT', 'deliveries', { hold: false, copies: 1 })
    await setup.control('POST', 'deliveries/release', { order: 'reversed' })
    await waitForEmptyFeed(setup, property)
    await setup.world.settled()
    const bookings = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(
      bookings.map(({ arrival, status }) => [arrival, status]).toSorted(),
      [
        [property.day(20), 'cancelled'],
        [property.day(31), 'confirmed'],
      ].toSorted(),
    )
    await shows(property, 0, 21, 3)
    await shows(property, 0, 31, 2)
  })
})
