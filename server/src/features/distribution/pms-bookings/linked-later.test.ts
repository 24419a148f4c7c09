import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { channexWorld, openProperty, plansOf, type Property } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import {
  bookingsOf,
  conflictsOf,
  readFeed,
  openAlerts,
  poll,
  roomLine,
  roomsAtChannex,
  sendBooking,
} from '#test/pms-bookings.ts'
import { until } from '#test/linked-units.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { enqueueConflictRetries } from './jobs.ts'

/** Bookings of rooms and rate plans that are linked later. */

const setup = channexWorld({ limited: false })

const retried = async () => {
  await enqueueConflictRetries(setup.world.resources)
  await setup.world.settled()
}
const lines = async (property: Property) =>
  (await bookingsOf(setup.owner, property.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('bookings of unlinked rooms: happy', () => {
  test('acknowledges a booking of an unlinked room, and applies it when the room is linked', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    const { listingId, unitId, roomTypeId, plans } = property.rooms[1]!
    const listing = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    ).channel_listing
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const rooms = [0, 1].map((n) =>
      roomLine(property, {
        roomTypeId: property.rooms[n]!.roomTypeId,
        planId: property.rooms[n]!.plans[0]!.externalId,
        from: 10,
        to: 12,
      }),
    )
    const { attributes } = await sendBooking(setup, property, { rooms })
    await poll(setup.world)
    assert.deepEqual(await readFeed(setup, property), [])
    assert.equal((await lines(property)).length, 1, 'the room that is linked is taken')
    const [conflict] = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.unit_id],
      ['unlinked_room', `${attributes.booking_id}#${roomTypeId}`, null],
    )
    assert.equal((await openAlerts(setup.owner, property.targetId)).length, 1)
    expectStatus(
      await setup.owner.post('/api/v1/channel-listings', {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans: listing.rate_plans,
      }),
      201,
    )
    await retried()
    const [booking] = await bookingsOf(setup.owner, unitId)
    assert.deepEqual([booking!.status, booking!.ratePlanId], ['confirmed', plans[0]!.id])
    const [closed] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([closed!.status, closed!.booking_id], ['resolved', booking!.id])
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
    await until(
      () => roomsAtChannex(setup, property, 1, 10),
      (shown) => shown === 2,
    )
  })

  test('applies a booking of an unlinked rate plan, and records a conflict', async () => {
    const property = await openProperty(setup, { plans: 2 })
    const { listingId, roomTypeId, plans, unitId } = property.rooms[0]!
    const { channel_listing } = expectStatus(
      await setup.owner.get(`/api/v1/channel-listings/${listingId}`),
      200,
    )
    const link = (rate_plans: object[]) =>
      setup.owner.put(`/api/v1/channel-listings/${listingId}`, {
        unit_id: unitId,
        channel_target_id: property.targetId,
        external_id: roomTypeId,
        rate_plans,
      })
    expectStatus(await link(channel_listing.rate_plans.slice(0, 1)), 200)
    const planId = plans[1]!.externalId
    await sendBooking(setup, property, {
      rooms: [roomLine(property, { roomTypeId, planId, from: 10, to: 12 })],
    })
    await poll(setup.world)
    const [booking] = await lines(property)
    const [conflict] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([conflict!.reason, conflict!.booking_id], ['unlinked_plan', booking!.id])
    expectStatus(await link(channel_listing.rate_plans), 200)
    await retried()
    assert.deepEqual(
      (await lines(property)).map(({ ratePlanId }) => ratePlanId),
      [plans[1]!.id],
    )
    assert.equal((await conflictsOf(setup.owner, property.targetId))[0]!.status, 'resolved')
  })
})

suite('bookings of a room that is linked to another unit', () => {
  /** Links the room to a new unit, with the same plan at Channex. */
  async function relink(property: Property, unitId: string) {
    const { listingId, roomTypeId, plans } = property.rooms[0]!
    const [plan] = await plansOf(setup.owner, unitId)
    const input = {
      unit_id: unitId,
      channel_target_id: property.targetId,
      external_id: roomTypeId,
      rate_plans: [{ rate_plan_id: plan!.id, external_id: plans[0]!.externalId }],
    }
    expectStatus(await setup.owner.put(`/api/v1/channel-listings/${listingId}`, input), 200)
    await setup.world.settled()
    return plan!.id
  }
  const begin = async () => {
    const property = await openProperty(setup)
    const rooms = [10, 20].map((from) => ({ ...roomLineOf(property, from), amount: '100.00' }))
    const { attributes } = await sendBooking(setup, property, { rooms })
    await poll(setup.world)
    const [first, second] = (await lines(property)).sort((a, b) => a.arrival.localeCompare(b.arrival))
    const changed = { totalCents: 9_000, guestName: 'Ada King', notes: 'Late' }
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${first!.id}`, changed), 200)
    return { property, bookingId: attributes.booking_id, first: first!, second: second! }
  }
  const roomLineOf = (property: Property, from: number) => {
    const { roomTypeId, plans } = property.rooms[0]!
    return roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from, to: from + 2 })
  }
  const read = async (id: string) =>
    expectStatus(await setup.owner.get(`/api/v1/bookings/${id}`), 200).booking as Record<string, unknown>
  const kept = { totalCents: 9_000, guestName: 'Ada King', guestEmail: 'ada@guest.example', notes: 'Late' }
  const fieldsOf = ({
    unitId,
    ratePlanId,
    totalCents,
    guestName,
    guestEmail,
    notes,
  }: Record<string, unknown>) => ({ unitId, ratePlanId, totalCents, guestName, guestEmail, notes })

  test('have its rate plan, and keep what users have changed', async () => {
    const { property, first } = await begin()
    const { id: unitId } = await addUnit(setup.owner, { space_id: property.spaceId })
    const ratePlanId = await relink(property, unitId)
    assert.deepEqual(fieldsOf(await read(first.id)), { unitId, ratePlanId, ...kept })
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId), [])
  })

  test('wait for a room with the blocks of their nights, until one is free or the room is linked as before', async () => {
    const { property, first, second } = await begin()
    const { id: unitId } = await addUnit(setup.owner, { space_id: property.spaceId })
    await addBooking(setup.owner, { unitId, checkIn: property.day(11), checkOut: property.day(12) })
    await relink(property, unitId)
    const [conflict] = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.deepEqual(
      [conflict!.reason, conflict!.unit_id, conflict!.booking_id, conflict!.booking.guestName],
      ['no_room', unitId, first.id, 'Ada Lovelace'],
    )
    assert.equal((await read(second.id)).unitId, unitId)
    await until(
      () => roomsAtChannex(setup, property, 0, 10),
      (shown) => shown === 0,
    )

    await relink(property, property.rooms[0]!.unitId)
    await retried()
    const { unitId: room, plans } = property.rooms[0]!
    assert.deepEqual(fieldsOf(await read(first.id)), { unitId: room, ratePlanId: plans[0]!.id, ...kept })
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
  })

  test('stay where a user moves them meanwhile, also when the PMS changes them', async () => {
    const { property, bookingId, first } = await begin()
    const [full, chosen] = [await addUnit(setup.owner), await addUnit(setup.owner, { max_guests: 3 })]
    const taken = { unitId: full.id, checkIn: property.day(11), checkOut: property.day(12) }
    const { id: takenId } = await addBooking(setup.owner, taken)
    await relink(property, full.id)
    assert.equal((await conflictsOf(setup.owner, property.targetId, '&status=open')).length, 1)
    // Nothing else has changed since it was tried.
    await runSql(
      setup.world,
      sql`update listing_syncs set changed_at = '2000-01-01Z' where unit_id = ${full.id}`,
    )
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${first.id}`, { unitId: chosen.id }), 200)
    await retried()
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${takenId}`, { status: 'cancelled' }), 200)
    const rooms = [10, 20].map((from) => roomLineOf(property, from))
    await sendBooking(setup, property, { booking_id: bookingId, status: 'modified', rooms })
    await poll(setup.world)
    assert.equal((await read(first.id)).unitId, chosen.id)
  })
})
