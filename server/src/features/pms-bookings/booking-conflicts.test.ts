import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { retryBookingConflicts } from '#features/upkeep/upkeep.ts'
import { channexWorld, openProperty, type Property } from '../../../test/channex-live.ts'
import { expectProblem, expectStatus } from '../../../test/expect.ts'
import { bookingsOf, conflictsOf, feedOf, openAlerts, poll, sell } from '../../../test/pms-bookings.ts'
import { addBooking, noIds, unknownId } from '../../../test/records.ts'

/** Bookings of a PMS that are not mapped or do not fit: kept, raised, tried again, and never dropped. */

const street = channexWorld()
const path = '/api/v1/booking-conflicts'

const retried = async () => {
  await retryBookingConflicts(street.world.resources)
  await street.world.settled()
}
/** One that does not fit: the only room is booked. */
async function openFull() {
  const house = await openProperty(street, { quantity: 1 })
  const { unitId } = house.rooms[0]!
  const taken = await addBooking(street.owner, {
    unitId,
    checkIn: house.day(10),
    checkOut: house.day(12),
  })
  const revision = await sell(street, house)
  await poll(street.world)
  const [conflict] = await conflictsOf(street.owner, house.targetId)
  return { house, unitId, taken: taken as { id: string }, revision, conflict: conflict! }
}
const lines = async (house: Property) =>
  (await bookingsOf(street.owner, house.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('booking conflicts: happy', () => {
  test('one that does not fit waits for room, and says who has it', async () => {
    const { house, unitId, taken, conflict } = await openFull()
    assert.deepEqual([conflict.reason, conflict.unit_id, conflict.booking_id], ['no_room', unitId, null])
    assert.match(JSON.stringify(conflict.conflicts), new RegExp(taken.id))
    assert.deepEqual(await feedOf(street, house), [])
    const [alert] = await openAlerts(street.owner, house.targetId)
    assert.match(JSON.stringify(alert), new RegExp(conflict.external_id))
    const still = expectStatus(await street.owner.post(`${path}/${conflict.id}/retry`), 201).booking_conflict
    assert.deepEqual([still.status, still.attempts], ['open', 2])
    expectStatus(await street.owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    await retried()
    assert.deepEqual(
      (await lines(house)).map(({ status }) => status),
      ['confirmed'],
    )
    const { booking_conflict: closed } = expectStatus(await street.owner.get(`${path}/${conflict.id}`), 200)
    assert.equal(closed.status, 'resolved')
    assert.deepEqual(await openAlerts(street.owner, house.targetId), [])
  })

  test('a second one of the same unit is told, though the first is open; trying again tells nobody', async () => {
    const { house, unitId } = await openFull()
    // Not by the feed, which waits for whatever else is being written.
    const told = async () => {
      const { database } = street.world.resources
      const [events] = await database.pipelined({ orgId: street.world.home.id }, [
        sql`select data #>> '{alert,details,external_id}' as id from events
          where type = 'booking.conflict' and data #>> '{alert,unit_id}' = ${unitId}`,
      ])
      return (events as { id: string }[]).map(({ id }) => id)
    }
    assert.equal((await told()).length, 1)
    await sell(street, house)
    await poll(street.world)
    const conflicts = await conflictsOf(street.owner, house.targetId)
    assert.equal(conflicts.length, 2)
    assert.equal((await openAlerts(street.owner, house.targetId)).length, 1)
    for (const { id } of conflicts) expectStatus(await street.owner.post(`${path}/${id}/retry`), 201)
    assert.deepEqual((await told()).sort(), conflicts.map(({ external_id }) => external_id).sort())
  })

  test('a later revision that fits, and one that cancels, close it', async () => {
    for (const later of [
      { status: 'modified', from: 20, to: 22 },
      { status: 'cancelled', from: 10, to: 12 },
    ]) {
      const { house, revision, conflict } = await openFull()
      await sell(street, house, { booking_id: revision.attributes.booking_id, ...later })
      await poll(street.world)
      const { booking_conflict } = expectStatus(await street.owner.get(`${path}/${conflict.id}`), 200)
      assert.equal(booking_conflict.status, 'resolved', later.status)
      assert.deepEqual(await openAlerts(street.owner, house.targetId), [])
    }
  })

  test('an older revision that comes late brings nothing back', async () => {
    const { house, revision } = await openFull()
    const { booking_id } = revision.attributes
    const older = await sell(street, house, { booking_id, status: 'modified', from: 20, to: 22 })
    const newer = await sell(street, house, { booking_id, status: 'modified', from: 11, to: 13 })
    // One after the other: two notices at once are worked in any order, and the one that fits may be first.
    await tell(house, newer)
    await tell(house, older)
    assert.deepEqual(await lines(house), [])
    const open = await conflictsOf(street.owner, house.targetId, '&status=open')
    assert.deepEqual(
      open.map(({ reason }) => reason),
      ['no_room'],
    )
    assert.deepEqual(await feedOf(street, house), [])
  })

  test('a person dismisses it and says why; the same revision does not open it again', async () => {
    const { house, conflict, revision } = await openFull()
    const key = { 'idempotency-key': 'once' }
    const reason = 'Walked to the house next door.'
    for (let n = 0; n < 2; n++) {
      const reply = await street.owner.post(`${path}/${conflict.id}/dismissal`, { reason }, key)
      const { booking_conflict } = expectStatus(reply, 201)
      assert.deepEqual([booking_conflict.status, booking_conflict.dismissal_reason], ['dismissed', reason])
    }
    assert.deepEqual(await openAlerts(street.owner, house.targetId), [])
    expectProblem(await street.owner.post(`${path}/${conflict.id}/retry`), 409, 'invalid-status-transition')
    expectProblem(
      await street.owner.post(`${path}/${conflict.id}/dismissal`, { reason }),
      409,
      'invalid-status-transition',
    )
    const audit = expectStatus(
      await street.owner.get('/api/v1/sync/audit?action=booking.conflict_dismissed'),
      200,
    ).audit as { actor: { type: string }; changes: { after: unknown }[] }[]
    assert.equal(audit[0]!.actor.type, 'user')
    assert.ok(audit[0]!.changes.some(({ after }) => after === reason))
    await tell(house, revision)
    assert.deepEqual(await conflictsOf(street.owner, house.targetId, '&status=open'), [])
    await sell(street, house, { booking_id: revision.attributes.booking_id, status: 'modified', from: 11 })
    await poll(street.world)
    assert.equal((await conflictsOf(street.owner, house.targetId, '&status=open')).length, 1)
  })
})

/** The notice of a revision, once more or at last; it is worked when this is over. */
async function tell(house: Property, { id, attributes }: { id: string; attributes: { booking_id: string } }) {
  const payload = { booking_id: attributes.booking_id, property_id: house.property, revision_id: id }
  const notice = { event: 'booking', payload, property_id: house.property, user_id: null }
  const timestamp = new Date().toISOString()
  const reply = await street.world
    .caller(null)
    .post(`/webhooks/pms/${house.targetId}`, { ...notice, timestamp })
  expectStatus(reply, 200)
  await street.world.settled()
}

suite('booking conflicts: error', () => {
  test('an unknown id is 404, what is no id 400, and so is a bad filter or body', async () => {
    for (const action of ['', '/retry', '/dismissal']) {
      const send = (id: string) =>
        action === ''
          ? street.owner.get(`${path}/${id}`)
          : street.owner.post(`${path}/${id}${action}`, { reason: 'x' })
      expectProblem(await send(unknownId), 404, 'not-found')
      for (const id of noIds) expectProblem(await send(id), 400, 'validation-error', '/id')
    }
    for (const query of ['status=done', 'reason=x', 'sort=reason', 'channel_target_id=1'])
      expectProblem(await street.owner.get(`${path}?${query}`), 400, 'validation-error')
    expectProblem(await street.owner.post(`${path}/${unknownId}/dismissal`, {}), 400, 'validation-error')
  })
})

suite('booking conflicts: security', () => {
  test('another organization sees none, and who only reads decides none', async () => {
    const { conflict } = await openFull()
    const stranger = await street.world.away.as('owner')
    assert.deepEqual(expectStatus(await stranger.get(path), 200).booking_conflicts, [])
    expectProblem(await stranger.get(`${path}/${conflict.id}`), 404, 'not-found')
    expectProblem(await stranger.post(`${path}/${conflict.id}/retry`), 404, 'not-found')
    expectProblem(
      await stranger.post(`${path}/${conflict.id}/dismissal`, { reason: 'mine' }),
      404,
      'not-found',
    )
    const viewer = await street.world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${conflict.id}`), 200)
    expectProblem(await viewer.post(`${path}/${conflict.id}/retry`), 403, 'forbidden')
    expectProblem(await street.world.caller(null).get(path), 401, 'unauthorized')
  })
})
