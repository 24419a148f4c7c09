import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { atomically } from '#db/scope.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import {
  applyRevision,
  bookingsOf,
  conflictsOf,
  readFeed,
  poll,
  sendBooking,
  type Revision,
} from '#test/pms-bookings.ts'
import { addBooking, addUnit, systemScope } from '#test/records.ts'
import { addLinkedUnit } from '#test/linked-units.ts'

/** Revisions are ordered by microseconds: the later one of two within a millisecond wins. */

const setup = channexWorld({ limited: false })

const hear = async (path: string, notice: object) => {
  expectStatus(await setup.world.caller(null).post(path, notice), 200)
  await setup.world.settled()
}
const moment = (micros: number) => `2026-07-01T10:00:00.123${String(micros).padStart(3, '0')}`

suite('revisions within one millisecond', () => {
  test('of channex: keeps the newer one, in either order', async () => {
    const property = await openProperty(setup)
    const tell = ({ id, attributes: { booking_id } }: Revision) =>
      hear(`/webhooks/pms/${property.targetId}`, {
        event: 'booking',
        payload: { booking_id, property_id: property.propertyId, revision_id: id },
        property_id: property.propertyId,
        timestamp: new Date().toISOString(),
      })
    const first = await sendBooking(setup, property, { inserted_at: moment(100) })
    const { booking_id } = first.attributes
    const more = { booking_id, status: 'modified' }
    const older = await sendBooking(setup, property, { ...more, from: 20, to: 22, inserted_at: moment(456) })
    const newer = await sendBooking(setup, property, { ...more, from: 30, to: 32, inserted_at: moment(457) })
    for (const [revision, day] of [
      [first, 10],
      [newer, 30],
      [older, 30],
      [first, 30],
    ] as const) {
      await tell(revision)
      const arrivals = (await bookingsOf(setup.owner, property.rooms[0]!.unitId)).map(
        ({ arrival }) => arrival,
      )
      assert.deepEqual(arrivals, [property.day(day)])
    }
    assert.deepEqual(await readFeed(setup, property), [])
  })

  test('of channex, by the feed: is not replaced by an older one that fits', async () => {
    const property = await openProperty(setup, { quantity: 1 })
    const { unitId } = property.rooms[0]!
    await addBooking(setup.owner, { unitId, checkIn: property.day(30), checkOut: property.day(31) })
    const { attributes } = await sendBooking(setup, property, { from: 30, to: 32, inserted_at: moment(457) })
    await poll(setup.world)
    const { booking_id } = attributes
    await sendBooking(setup, property, { booking_id, from: 20, to: 22, inserted_at: moment(456) })
    await poll(setup.world)
    const made = (await bookingsOf(setup.owner, unitId)).filter(({ source }) => source === 'pms')
    assert.deepEqual(made, [])
    const [conflict, ...others] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual([conflict!.status, others], ['open', []])
  })

  test('of a PMS that sends the whole booking', async () => {
    const { targetId, unitId, externalId } = await addLinkedUnit(setup.owner)
    const tell = (micros: number, check_in: string, check_out: string) =>
      hear(`/webhooks/pms/${targetId}`, {
        id: `evt_${micros}_${check_in}`,
        type: 'booking.updated',
        timestamp: new Date().toISOString(),
        data: {
          external_id: 'PMS-MICRO',
          unit_external_id: externalId,
          check_in,
          check_out,
          revised_at: `${moment(micros)}Z`,
        },
      })
    await tell(2, '2031-07-10', '2031-07-12')
    await tell(1, '2031-07-20', '2031-07-22')
    const arrivals = async () => (await bookingsOf(setup.owner, unitId)).map(({ arrival }) => arrival)
    assert.deepEqual(await arrivals(), ['2031-07-10'])
    await tell(3, '2031-07-15', '2031-07-17')
    assert.deepEqual(await arrivals(), ['2031-07-15'])
  })
})

suite('revisions without a time', () => {
  test('are as old as their receipt: a replayed booking does not come after its cancellation', async () => {
    const { unitId, targetId, externalId } = await addLinkedUnit(setup.owner)
    const stay = { check_in: '2031-07-10', check_out: '2031-07-12' }
    for (const type of ['booking.created', 'booking.cancelled'])
      await hear(`/webhooks/pms/${targetId}`, {
        id: type,
        type,
        data: { external_id: 'PMS-TIMELESS', unit_external_id: externalId, ...stay },
      })
    const messages = `/api/v1/webhook-messages?channel_target_id=${targetId}&kind=booking.created`
    const [created] = expectStatus(await setup.owner.get(messages), 200).webhook_messages
    expectStatus(await setup.owner.post(`/api/v1/webhook-messages/${created.id}/replay`), 201)
    await setup.world.settled()
    const statuses = (await bookingsOf(setup.owner, unitId)).map(({ status }) => status)
    assert.deepEqual(statuses, ['cancelled'])
  })
})

suite('states of a reservation within one second', () => {
  test('of a PMS that is read: one that was cancelled and booked again takes its room', async () => {
    const { targetId, unitId, externalId } = await addLinkedUnit(setup.owner)
    const line = { listing: externalId, arrival: '2031-07-10', departure: '2031-07-12' }
    for (const status of ['confirmed', 'cancelled', 'confirmed'] as const) {
      const read = { isCurrent: true, revisedAt: '2026-07-01T10:00:00.000Z', status, line }
      await atomically(systemScope(setup.world, setup.world.home), (transaction) =>
        applyRevision(transaction, targetId, read),
      )
      const statuses = (await bookingsOf(setup.owner, unitId)).map((booking) => booking.status)
      assert.deepEqual(statuses, [status])
    }
  })
})

test('a conflict is not decided as it was seen before a newer revision', async () => {
  const property = await openProperty(setup, { quantity: 1 })
  const { unitId } = property.rooms[0]!
  await addBooking(setup.owner, { unitId, checkIn: property.day(10), checkOut: property.day(12) })
  const { attributes } = await sendBooking(setup, property)
  await poll(setup.world)
  const readOpen = async () => (await conflictsOf(setup.owner, property.targetId, '&status=open'))[0]!
  const seen = await readOpen()
  await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', to: 13 })
  await poll(setup.world)
  const { id: unit_id } = await addUnit(setup.owner, { space_id: property.spaceId })
  const decide = (decision: string, body: object) =>
    setup.owner.post(`/api/v1/booking-conflicts/${seen.id}/${decision}`, body)
  const reason = 'The guest was moved.'
  for (const [decision, body] of Object.entries({ acceptance: { unit_id }, dismissal: { reason } }))
    expectProblem(
      await decide(decision, { ...body, updated_at: seen.updated_at }),
      412,
      'precondition-failed',
    )
  const { updated_at, attempts } = await readOpen()
  expectStatus(await setup.owner.post(`/api/v1/booking-conflicts/${seen.id}/retry`), 201)
  const retried = await readOpen()
  assert.deepEqual([retried.attempts, retried.updated_at], [attempts + 1, updated_at])
  assert.equal(
    expectStatus(await decide('dismissal', { reason, updated_at }), 201).booking_conflict.id,
    seen.id,
  )
})

test('a conflict of an outdated revision is not accepted, and a retry closes it', async () => {
  const property = await openProperty(setup, { quantity: 1 })
  const { unitId } = property.rooms[0]!
  await addBooking(setup.owner, { unitId, checkIn: property.day(10), checkOut: property.day(12) })
  await sendBooking(setup, property)
  await poll(setup.world)
  const [conflict] = await conflictsOf(setup.owner, property.targetId)
  await setup.world.resources.database.pipelined({ orgId: setup.world.home.id }, [
    sql`update booking_conflicts set booking = jsonb_set(booking, '{revisedAt}', '"2020-01-01T00:00:00Z"')
      where id = ${conflict!.id}`,
  ])
  const { id: unit_id } = await addUnit(setup.owner, { space_id: property.spaceId })
  const path = `/api/v1/booking-conflicts/${conflict!.id}`
  expectProblem(await setup.owner.post(`${path}/acceptance`, { unit_id }), 409, 'invalid-status-transition')
  assert.deepEqual(await bookingsOf(setup.owner, unit_id), [])
  const retry = await setup.owner.post(`${path}/retry`)
  assert.equal(expectStatus(retry, 201).booking_conflict.status, 'resolved')
})
