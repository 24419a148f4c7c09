import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty, type Property } from '../../../test/channex-live.ts'
import { eventsOf } from '../../../test/events.ts'
import { expectProblem, expectStatus } from '../../../test/expect.ts'
import { bookingsOf, poll, sell } from '../../../test/pms-bookings.ts'

/** What people here wrote of a booking, and what the PMS goes on telling of it. */

const street = channexWorld()

const ada = { name: 'Ada', surname: 'Lovelace', mail: 'ada@guest.example', phone: '+351 1' }

interface Story {
  readonly guestName: string
  readonly guestEmail: string | null
  readonly guestPhone: string | null
  readonly notes: string | null
  readonly pms_notes: string | null
  readonly checkIn: string
  readonly departure: string
}

async function begin(fields: Record<string, unknown> = {}) {
  const house = await openProperty(street)
  const { attributes } = await sell(street, house, fields)
  await poll(street.world)
  const [booking] = await bookingsOf(street.owner, house.rooms[0]!.unitId)
  return { house, id: booking!.id, reservation: attributes.booking_id }
}
const read = async (id: string): Promise<Story> =>
  expectStatus(await street.owner.get(`/api/v1/bookings/${id}`), 200).booking
const write = async (id: string, fields: object): Promise<Story> =>
  expectStatus(await street.owner.patch(`/api/v1/bookings/${id}`, fields), 200).booking
const modify = async (house: Property, booking_id: string, fields: Record<string, unknown> = {}) => {
  await sell(street, house, { booking_id, status: 'modified', ...fields })
  await poll(street.world)
}
const guestOf = ({ guestName, guestEmail, guestPhone }: Story) => [guestName, guestEmail, guestPhone]

suite('what people here wrote of a booking of a PMS', () => {
  test('the notes of the PMS are a member of their own; ours stay whatever it tells', async () => {
    const { house, id, reservation } = await begin({ notes: 'Vegan.' })
    const first = await read(id)
    assert.deepEqual([first.notes, first.pms_notes], [null, 'Booking.com BDC-77\nVegan.'])
    await write(id, { notes: 'Room 12, paid in cash.' })
    await modify(house, reservation, { notes: 'Vegan. Arrives late.', to: 14 })
    const later = await read(id)
    assert.deepEqual(
      [later.notes, later.pms_notes, later.departure],
      ['Room 12, paid in cash.', 'Booking.com BDC-77\nVegan. Arrives late.', house.day(14)],
    )
    const told = (await eventsOf(street.world, street.owner, { id })).at(-1)
    assert.equal(told.data.previous.pms_notes, 'Booking.com BDC-77\nVegan.')
    assert.ok(!('notes' in told.data.previous))
  })

  test('what a person changed of the guest stays until the PMS changes that member', async () => {
    const { house, id, reservation } = await begin({ customer: ada })
    await write(id, { guestName: 'Ada King', guestEmail: 'ada@home.example' })
    await modify(house, reservation, { customer: { ...ada, phone: '+351 2' }, to: 14 })
    assert.deepEqual(guestOf(await read(id)), ['Ada King', 'ada@home.example', '+351 2'])
    await modify(house, reservation, { customer: { ...ada, mail: 'ada@other.example' }, to: 15 })
    assert.deepEqual(guestOf(await read(id)), ['Ada King', 'ada@other.example', '+351 1'])
    // The PMS tells what the person had written, and then something else again.
    await modify(house, reservation, { customer: { ...ada, name: 'Ada', surname: 'King' } })
    await modify(house, reservation, { customer: ada })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@guest.example', '+351 1'])
  })

  test('a PMS that tells no guest any more empties what it told, and nothing that a person wrote', async () => {
    const { house, id, reservation } = await begin({ customer: ada })
    await write(id, { guestEmail: 'ada@home.example' })
    await modify(house, reservation, { customer: null })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@home.example', null])
    await modify(house, reservation, { customer: ada })
    assert.deepEqual(guestOf(await read(id)), ['Ada Lovelace', 'ada@home.example', '+351 1'])
  })

  test('a room that the PMS takes away keeps the words of both', async () => {
    const { house, id, reservation } = await begin({ customer: ada, notes: 'Vegan.' })
    await write(id, { guestEmail: 'ada@home.example', notes: 'VIP' })
    await modify(house, reservation, { status: 'cancelled', rooms: null, customer: ada, notes: 'Vegan.' })
    const { notes, pms_notes, guestEmail } = await read(id)
    assert.deepEqual(
      [notes, pms_notes, guestEmail],
      ['VIP', 'Booking.com BDC-77\nVegan.', 'ada@home.example'],
    )
  })

  test('an hour of arrival that a person set stays as long as the day stays', async () => {
    const { house, id, reservation } = await begin()
    const { checkIn } = await read(id)
    const late = new Date(Date.parse(checkIn) + 6 * 3_600_000).toISOString()
    await write(id, { checkIn: late })
    await modify(house, reservation, { to: 14 })
    assert.equal((await read(id)).checkIn, late)
    await modify(house, reservation, { from: 11, to: 14 })
    assert.equal((await read(id)).checkIn, new Date(Date.parse(checkIn) + 86_400_000).toISOString())
  })

  test('nobody here writes the notes of the PMS; a booking is sent back as it was read', async () => {
    const { id } = await begin({ notes: 'Vegan.' })
    const before = await read(id)
    const written = await street.owner.patch(`/api/v1/bookings/${id}`, { pms_notes: 'Ours' })
    expectProblem(written, 400, 'validation-error', '/pms_notes')
    const { booking } = expectStatus(await street.owner.put(`/api/v1/bookings/${id}`, before), 200)
    assert.deepEqual(booking, before)
  })
})
