import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty, type Property } from '../../../test/channex-live.ts'
import {
  bookingsOf,
  conflictsOf,
  drained,
  hearOf,
  roomLine,
  roomsShown,
  sell,
} from '../../../test/pms-bookings.ts'
import { until } from '../../../test/stock.ts'

/** What Channex expects of whoever takes its bookings: new, modified, cancelled, each applied and acknowledged. */

const street = channexWorld()

async function openHouse(options: Parameters<typeof openProperty>[1] = {}): Promise<Property> {
  const house = await openProperty(street, options)
  await hearOf(street, house)
  return house
}
const shows = (house: Property, room: number, day: number, rooms: number) =>
  until(
    () => roomsShown(street, house, room, day),
    (shown) => shown === rooms,
  )
const acksOf = async (revisionId: string) => {
  const { calls } = (await street.door('GET', 'calls')).body
  const path = `/api/v1/booking_revisions/${revisionId}/ack`
  return (calls as { path: string; status: number }[]).filter((call) => call.path === path)
}

suite('bookings of channex: happy', () => {
  test('a new booking is applied, acknowledged, and lowers the rooms at the PMS', async () => {
    const house = await openHouse({ quantity: 3 })
    const revision = await sell(street, house)
    await drained(street, house)
    const [booking, ...others] = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.deepEqual(others, [])
    const { attributes } = revision
    assert.deepEqual(
      { ...booking, id: null },
      {
        ...booking,
        id: null,
        unitId: house.rooms[0]!.unitId,
        ratePlanId: house.rooms[0]!.plans[0]!.id,
        status: 'confirmed',
        source: 'pms',
        guestName: 'Ada Lovelace',
        guestEmail: 'ada@guest.example',
        guestPhone: '+351 1',
        guests: 3,
        rooms: 1,
        arrival: house.day(10),
        departure: house.day(12),
        nights: 2,
        totalCents: 22_050,
        currency: 'eur',
        channelTargetId: house.targetId,
        externalId: `${attributes.booking_id}#${house.rooms[0]!.roomTypeId}`,
        notes: null,
        pms_notes: 'Booking.com BDC-77',
      },
    )
    for (const day of [10, 11]) await shows(house, 0, day, 2)
    await shows(house, 0, 12, 3)
    assert.deepEqual(await conflictsOf(street.owner, house.targetId), [])
  })

  test('a modification moves it and a cancellation gives the rooms back: the absolute number is pushed', async () => {
    const house = await openHouse({ quantity: 3 })
    const { attributes } = await sell(street, house)
    await drained(street, house)
    await shows(house, 0, 10, 2)
    const { booking_id } = attributes
    const moved = await sell(street, house, { booking_id, status: 'modified', from: 11, to: 14 })
    await shows(house, 0, 13, 2)
    await shows(house, 0, 10, 3)
    const gone = await sell(street, house, { booking_id, status: 'cancelled', from: 11, to: 14 })
    for (const day of [11, 12, 13]) await shows(house, 0, day, 3)
    await drained(street, house)
    const [booking] = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.deepEqual([booking!.status, booking!.arrival], ['cancelled', house.day(11)])
    for (const { id } of [moved, gone]) assert.deepEqual((await acksOf(id)).at(-1)!.status, 200)
  })

  test('a booking of several rooms is one for each; fewer of them later cancel the rest', async () => {
    const house = await openHouse({ rooms: 2, plans: 1, quantity: 2 })
    const [one, other] = house.rooms.map(
      ({ roomTypeId, plans }) =>
        (from: number, to: number) =>
          roomLine(house, { roomTypeId, planId: plans[0]!.externalId, from, to }),
    )
    const { attributes } = await sell(street, house, {
      rooms: [one!(5, 7), other!(5, 8), one!(6, 9)],
    })
    await drained(street, house)
    await shows(house, 0, 6, 0)
    await shows(house, 1, 6, 1)
    const names = async (room: number) =>
      (await bookingsOf(street.owner, house.rooms[room]!.unitId)).map((booking) => [
        booking.arrival,
        booking.departure,
        booking.status,
      ])
    assert.deepEqual(await names(0), [
      [house.day(5), house.day(7), 'confirmed'],
      [house.day(6), house.day(9), 'confirmed'],
    ])
    const { booking_id } = attributes
    await sell(street, house, { booking_id, status: 'modified', rooms: [one!(6, 9)] })
    await shows(house, 1, 6, 2)
    await shows(house, 0, 6, 1)
    await drained(street, house)
    assert.deepEqual(await names(0), [
      [house.day(5), house.day(7), 'cancelled'],
      [house.day(6), house.day(9), 'confirmed'],
    ])
    assert.deepEqual(await names(1), [[house.day(5), house.day(8), 'cancelled']])
  })

  test('rooms move among the lines of one booking although each is full with the other', async () => {
    const house = await openHouse({ quantity: 1 })
    const line = (from: number, to: number) => {
      const { roomTypeId, plans } = house.rooms[0]!
      return roomLine(house, { roomTypeId, planId: plans[0]!.externalId, from, to })
    }
    const { attributes } = await sell(street, house, { rooms: [line(5, 7), line(7, 9)] })
    await shows(house, 0, 8, 0)
    const { booking_id } = attributes
    await sell(street, house, { booking_id, status: 'modified', rooms: [line(7, 9), line(9, 11)] })
    await drained(street, house)
    const bookings = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.deepEqual(bookings.map(({ arrival, status }) => [arrival, status]).toSorted(), [
      [house.day(7), 'confirmed'],
      [house.day(9), 'confirmed'],
    ])
    assert.deepEqual(await conflictsOf(street.owner, house.targetId), [])
  })

  test('in any order, five times each: the same end, and every revision is acknowledged', async () => {
    const house = await openHouse({ quantity: 3 })
    await street.door('PUT', 'deliveries', { hold: true, copies: 5 })
    const { attributes } = await sell(street, house)
    const { booking_id } = attributes
    await sell(street, house, { booking_id, status: 'modified', from: 20, to: 22 })
    await sell(street, house, { booking_id, status: 'cancelled', from: 20, to: 22 })
    const other = await sell(street, house, { from: 30, to: 32 })
    await sell(street, house, {
      booking_id: other.attributes.booking_id,
      status: 'modified',
      from: 31,
      to: 33,
    })
    await street.door('PUT', 'deliveries', { hold: false, copies: 1 })
    await street.door('POST', 'deliveries/release', { order: 'reversed' })
    await drained(street, house)
    await street.world.settled()
    const bookings = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.deepEqual(
      bookings.map(({ arrival, status }) => [arrival, status]).toSorted(),
      [
        [house.day(20), 'cancelled'],
        [house.day(31), 'confirmed'],
      ].toSorted(),
    )
    await shows(house, 0, 21, 3)
    await shows(house, 0, 31, 2)
  })
})
