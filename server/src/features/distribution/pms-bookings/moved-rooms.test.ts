import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { bookingsOf, conflictsOf } from '#test/pms-bookings.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { reservations } from '#test/reservations.ts'

/** A modification that changes the room type moves the booking and never replaces it. */

const setup = channexWorld({ limited: false })
const { line, placesOf, idAt, read, storyOf, typesOf, modify, begin } = reservations(setup)

suite('a booking of a PMS that moves to another room type: happy', () => {
  test('keeps its id, presence, notes and history, and sends an update event', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const reservation = await begin(property, [line(property, 0, 0, 2)])
    const id = idAt(await placesOf(property), `0 ${property.day(0)}`)
    const { externalId } = await read(id)
    expectStatus(
      await setup.owner.patch(`/api/v1/bookings/${id}`, { status: 'checked_in', notes: 'Needs a cot.' }),
      200,
    )
    const paid = { booking_id: id, amount: 5_000, currency: 'eur' }
    const { payment_intent } = expectStatus(await setup.owner.post('/api/v1/payment-intents', paid), 201)

    await modify(property, reservation, [line(property, 1, 0, 2)])

    assert.deepEqual(await placesOf(property), { [id]: `1 ${property.day(0)}` })
    const moved = await read(id)
    assert.deepEqual(
      [moved.status, moved.notes, moved.externalId, moved.ratePlanId],
      ['checked_in', 'Needs a cot.', externalId, property.rooms[1]!.plans[0]!.id],
    )
    const { payment_intent: kept } = expectStatus(
      await setup.owner.get(`/api/v1/payment-intents/${payment_intent.id}`),
      200,
    )
    assert.equal(kept.booking_id, id)
    assert.deepEqual(await typesOf(id), ['booking.created', 'booking.updated', 'booking.updated'])
    const [, , last] = await storyOf(id)
    assert.equal(last!.data.previous!.unitId, property.rooms[0]!.unitId)
    assert.deepEqual(await bookingsOf(setup.owner, property.rooms[0]!.unitId), [])
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
  })

  test('moves only the room that changes', async () => {
    const property = await openProperty(setup, { rooms: 3 })
    const reservation = await begin(property, [line(property, 0, 5, 7), line(property, 1, 5, 8)])
    const before = await placesOf(property)
    await modify(property, reservation, [line(property, 2, 5, 8), line(property, 0, 5, 7)])
    assert.deepEqual(await placesOf(property), {
      [idAt(before, `0 ${property.day(5)}`)]: `0 ${property.day(5)}`,
      [idAt(before, `1 ${property.day(5)}`)]: `2 ${property.day(5)}`,
    })
  })

  test('swaps two rooms when both types are full', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 1 })
    const named = (room: number, name: string) => line(property, room, 5, 7, { ota_unique_id: name })
    const reservation = await begin(property, [named(0, 'a'), named(1, 'b'), line(property, 0, 10, 12)])
    const before = await placesOf(property)
    await modify(property, reservation, [named(1, 'a'), named(0, 'b'), line(property, 1, 10, 12)])
    assert.deepEqual(await placesOf(property), {
      [idAt(before, `0 ${property.day(5)}`)]: `1 ${property.day(5)}`,
      [idAt(before, `1 ${property.day(5)}`)]: `0 ${property.day(5)}`,
      [idAt(before, `0 ${property.day(10)}`)]: `1 ${property.day(10)}`,
    })
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
  })

  test('creates a booking for an added room, and cancels that of a removed room', async () => {
    const property = await openProperty(setup, { rooms: 3 })
    const reservation = await begin(property, [line(property, 0, 5, 7)])
    const first = idAt(await placesOf(property), `0 ${property.day(5)}`)
    await modify(property, reservation, [line(property, 1, 5, 7), line(property, 0, 5, 7)])
    const both = await placesOf(property)
    const second = idAt(both, `1 ${property.day(5)}`)
    assert.equal(both[first], `0 ${property.day(5)}`)
    // The first line is removed, and the second one changes its room type.
    await modify(property, reservation, [line(property, 2, 5, 7)])
    const [left, ...others] = Object.keys(await placesOf(property))
    assert.deepEqual(others, [])
    assert.ok([first, second].includes(left!))
    await modify(property, reservation, [line(property, 2, 5, 7), line(property, 0, 5, 7)])
    assert.equal(Object.keys(await placesOf(property)).length, 2)
  })

  test('keeps the booking of the unchanged one of two equal rooms', async () => {
    const property = await openProperty(setup)
    const reservation = await begin(property, [line(property, 0, 5, 7), line(property, 0, 6, 9)])
    const before = await placesOf(property)
    const stays = idAt(before, `0 ${property.day(6)}`)
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${stays}`, { notes: 'Late.' }), 200)
    await modify(property, reservation, [line(property, 0, 6, 9)])
    assert.deepEqual(await placesOf(property), { [stays]: `0 ${property.day(6)}` })
    assert.deepEqual(await typesOf(stays), ['booking.created', 'booking.updated'])
  })

  test('matches lines that were stored without their details', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const reservation = await begin(property, [line(property, 0, 5, 7), line(property, 0, 10, 12)])
    const before = await placesOf(property)
    const database = openOwner(setup.world.databaseUrl)
    await database.pipelined({ orgId: null }, [
      sql`update bookings set notes = pms_notes, pms_notes = null, pms_guest = null
        where channel_target_id = ${property.targetId}`,
      sql`update pms_bookings set known_lines = '[]' where channel_target_id = ${property.targetId}`,
    ])
    await database.close()
    await modify(property, reservation, [line(property, 1, 10, 12), line(property, 0, 5, 7)])
    const id = idAt(before, `0 ${property.day(10)}`)
    assert.deepEqual(await placesOf(property), { ...before, [id]: `1 ${property.day(10)}` })
    const moved = await read(id)
    assert.deepEqual([moved.notes, moved.pms_notes], [null, 'Booking.com BDC-77'])
  })

  test('uses the time zone of the other space, and the price of the PMS', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const space = await addSpace(setup.owner, {
      name: 'Annex',
      timezone: 'America/Denver',
      currency: 'usd',
    })
    const unit = await addUnit(setup.owner, { space_id: space.id, currency: 'usd' })
    const { roomTypeId, listingId } = property.rooms[1]!
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    expectStatus(
      await setup.owner.post('/api/v1/channel-listings', {
        unit_id: unit.id,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans: [],
      }),
      201,
    )
    const reservation = await begin(property, [line(property, 0, 5, 7)])
    const id = idAt(await placesOf(property), `0 ${property.day(5)}`)
    // Without an amount, the stored amount and currency stay together.
    const silent = { currency: null, amount: null }
    await modify(property, reservation, [line(property, 1, 5, 7, { amount: null })], silent)
    const moved = await read(id)
    assert.deepEqual(
      [moved.unitId, moved.spaceId, moved.arrival, moved.totalCents, moved.currency],
      [unit.id, space.id, property.day(5), 22_050, 'eur'],
    )
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/Denver',
      timeStyle: 'short',
      dateStyle: 'short',
    })
    assert.match(clock.format(new Date(moved.checkIn)), /, 15:00$/)
  })
})
