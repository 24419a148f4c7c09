import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { bookingsOf, conflictsOf, poll, sendBooking } from '#test/pms-bookings.ts'
import { addUnit } from '#test/records.ts'

/** Local changes to a booking that the PMS goes on updating. */

const setup = channexWorld({ limited: false })

const ada = { name: 'Ada', surname: 'Lovelace', mail: 'ada@guest.example', phone: '+351 1' }

interface Story {
  readonly guestName: string
  readonly guestEmail: string | null
  readonly guestPhone: string | null
  readonly notes: string | null
  readonly pms_notes: string | null
  readonly checkIn: string
  readonly departure: string
  readonly rooms: number
}

async function begin(fields: Record<string, unknown> = {}) {
  const property = await openProperty(setup)
  const { attributes } = await sendBooking(setup, property, fields)
  await poll(setup.world)
  const [booking] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
  return { property, id: booking!.id, reservation: attributes.booking_id }
}
const read = async (id: string): Promise<Story> =>
  expectStatus(await setup.owner.get(`/api/v1/bookings/${id}`), 200).booking
const write = async (id: string, fields: object): Promise<Story> =>
  expectStatus(await setup.owner.patch(`/api/v1/bookings/${id}`, fields), 200).booking
const modify = async (property: Property, booking_id: string, fields: Record<string, unknown> = {}) => {
  await sendBooking(setup, property, { booking_id, status: 'modified', ...fields })
  await poll(setup.world)
}
const guestOf = ({ guestName, guestEmail, guestPhone }: Story) => [guestName, guestEmail, guestPhone]

suite('local changes to a booking of a PMS', () => {
  test('keeps our notes separate from those of the PMS', async () => {
    const { property, id, reservation } = await begin({ notes: 'Vegan.' })
    const first = await read(id)
    assert.deepEqual([first.notes, first.pms_notes], [null, 'Booking.com BDC-77\nVegan.'])
    await write(id, { notes: 'Room 12, paid in cash.' })
    await modify(property, reservation, { notes: 'Vegan. Arrives late.', to: 14 })
    const later = await read(id)
    assert.deepEqual(
      [later.notes, later.pms_notes, later.departure],
      ['Room 12, paid in cash.', 'Booking.com BDC-77\nVegan. Arrives late.', property.day(14)],
    )
    const event = (await eventsOf(setup.world, setup.owner, { id })).at(-1)
    assert.equal(event.data.previous.pms_notes, 'Booking.com BDC-77\nVegan.')
    assert.ok(!('notes' in event.data.previous))
  })

  test('keeps a local change of the guest until the PMS changes the same field', async () => {
    const { property, id, reservation } = await begin({ customer: ada })
    await write(id, { guestName: 'Ada King', guestEmail: 'ada@home.example' })
    await modify(property, reservation, { customer: { ...ada, phone: '+351 2' }, to: 14 })
    assert.deepEqual(guestOf(await read(id)), ['Ada King', 'ada@home.example', '+351 2'])
    await modify(property, reservation, { customer: { ...ada, mail: 'ada@other.example' }, to: 15 })
    assert.deepEqual(guestOf(await read(id)), ['Ada King', 'ada@other.example', '+351 1'])
    // The PMS sends the local value, and then another one.
    await modify(property, reservation, { customer: { ...ada, name: 'Ada', surname: 'King' } })
    await modify(property, reservation, { customer: ada })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@guest.example', '+351 1'])
  })

  test('clears only the guest data of the PMS when it sends none any more', async () => {
    const { property, id, reservation } = await begin({ customer: ada })
    await write(id, { guestEmail: 'ada@home.example' })
    await modify(property, reservation, { customer: null })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@home.example', null])
    await modify(property, reservation, { customer: ada })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@home.example', '+351 1'])
  })

  test('keeps both notes when the PMS removes the room', async () => {
    const { property, id, reservation } = await begin({ customer: ada, notes: 'Vegan.' })
    await write(id, { guestEmail: 'ada@home.example', notes: 'VIP' })
    await modify(property, reservation, { status: 'cancelled', rooms: null, customer: ada, notes: 'Vegan.' })
    const { notes, pms_notes, guestEmail } = await read(id)
    assert.deepEqual(
      [notes, pms_notes, guestEmail],
      ['VIP', 'Booking.com BDC-77\nVegan.', 'ada@home.example'],
    )
  })

  test('keeps a local arrival time until the arrival day changes', async () => {
    const { property, id, reservation } = await begin()
    const { checkIn } = await read(id)
    const late = new Date(Date.parse(checkIn) + 6 * 3_600_000).toISOString()
    await write(id, { checkIn: late })
    await modify(property, reservation, { to: 14 })
    assert.equal((await read(id)).checkIn, late)
    await modify(property, reservation, { from: 11, to: 14 })
    assert.equal((await read(id)).checkIn, new Date(Date.parse(checkIn) + 86_400_000).toISOString())
  })

  test('keeps the nights after an early check-out free until the PMS changes the stay', async () => {
    const { property, id, reservation } = await begin({ from: 0, to: 9 })
    await write(id, { status: 'checked_in' })
    const { departure } = await write(id, { status: 'checked_out' })
    assert.equal(departure, property.day(1))
    await modify(property, reservation, { from: 0, to: 9, notes: 'Paid.' })
    const { pms_notes, ...kept } = await read(id)
    assert.deepEqual([kept.departure, pms_notes], [property.day(1), 'Booking.com BDC-77\nPaid.'])
    await modify(property, reservation, { from: 0, to: 4 })
    assert.equal((await read(id)).departure, property.day(4))
  })

  test('keeps a longer stay in more rooms until the PMS changes the departure', async () => {
    const { property, id, reservation } = await begin()
    await write(id, { checkOut: property.day(15), rooms: 2 })
    await modify(property, reservation, { notes: 'Paid.' })
    const { departure, rooms, pms_notes } = await read(id)
    assert.deepEqual([departure, rooms, pms_notes], [property.day(15), 2, 'Booking.com BDC-77\nPaid.'])
    await modify(property, reservation, { from: 11 })
    assert.equal((await read(id)).departure, property.day(15))
    await modify(property, reservation, { from: 11, to: 13 })
    assert.equal((await read(id)).departure, property.day(13))
  })

  test('keeps another unit until the PMS changes the room', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const { attributes } = await sendBooking(setup, property)
    await poll(setup.world)
    const [booking] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    const free = await addUnit(setup.owner, { space_id: property.spaceId, max_guests: 4 })
    await write(booking!.id, { unitId: free.id })
    await modify(property, attributes.booking_id, { to: 14 })
    const [kept] = await bookingsOf(setup.owner, free.id)
    assert.deepEqual([kept?.id, kept?.departure], [booking!.id, property.day(14)])
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
    await modify(property, attributes.booking_id, { room: 1, to: 14 })
    const [moved] = await bookingsOf(setup.owner, property.rooms[1]!.unitId)
    assert.equal(moved?.id, booking!.id)
  })

  test('rejects changes to the notes of the PMS, and accepts a booking as it was read', async () => {
    const { id } = await begin({ notes: 'Vegan.' })
    const before = await read(id)
    const written = await setup.owner.patch(`/api/v1/bookings/${id}`, { pms_notes: 'Ours' })
    expectProblem(written, 400, 'validation-error', '/pms_notes')
    const { booking } = expectStatus(await setup.owner.put(`/api/v1/bookings/${id}`, before), 200)
    assert.deepEqual(booking, before)
  })
})
