import assert from 'node:assert/strict'
import type { ChannexWorld, Property } from './channex-live.ts'
import { eventsOf } from './events.ts'
import { expectStatus } from './expect.ts'
import { bookingsOf, poll, roomLine, sendBooking, type TestBooking } from './pms-bookings.ts'

/** Reservations of several rooms at Channex, and where each of their bookings is here. */
export function reservations(setup: ChannexWorld) {
  const line = (property: Property, room: number, from: number, to: number, more: object = {}) => {
    const { roomTypeId, plans } = property.rooms[room]!
    return { ...roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from, to }), ...more }
  }
  /** Each booking of the property that is not cancelled, as `room arrival`, by its id. */
  async function placesOf(property: Property): Promise<Record<string, string>> {
    const found = await Promise.all(property.rooms.map(({ unitId }) => bookingsOf(setup.owner, unitId)))
    const places = found.flatMap((bookings, room) =>
      bookings
        .filter(({ source, status }) => source === 'pms' && status !== 'cancelled')
        .map(({ id, arrival }) => [id, `${room} ${arrival}`]),
    )
    return Object.fromEntries(places) as Record<string, string>
  }
  const idAt = (places: Record<string, string>, place: string) => {
    const ids = Object.keys(places).filter((id) => places[id] === place)
    assert.equal(ids.length, 1, `${place} in ${JSON.stringify(places)}`)
    return ids[0]!
  }
  const read = async (id: string) =>
    expectStatus(await setup.owner.get(`/api/v1/bookings/${id}`), 200).booking as TestBooking & {
      spaceId: string
      pms_notes: string | null
      checkIn: string
    }
  const storyOf = (id: string) => eventsOf(setup.world, setup.owner, { id })
  const typesOf = async (id: string) => (await storyOf(id)).map(({ type }) => type)
  const modify = async (property: Property, booking_id: string, rooms: object[], more: object = {}) => {
    await sendBooking(setup, property, { booking_id, status: 'modified', rooms, ...more })
    await poll(setup.world)
  }
  async function begin(property: Property, rooms: object[]) {
    const { attributes } = await sendBooking(setup, property, { rooms })
    await poll(setup.world)
    return attributes.booking_id
  }

  return { line, placesOf, idAt, read, storyOf, typesOf, modify, begin }
}
