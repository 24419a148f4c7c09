import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { enqueueConflictRetries } from './jobs.ts'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { bookingsOf, conflictsOf, readFeed, openAlerts, poll, sendBooking } from '#test/pms-bookings.ts'
import { addBooking, addUnit, noIds, unknownId } from '#test/records.ts'

/** Bookings of a PMS that are not mapped or do not fit are recorded, reported, retried, and never dropped. */

const setup = channexWorld({ limited: false })
const path = '/api/v1/booking-conflicts'

const retried = async () => {
  await enqueueConflictRetries(setup.world.resources)
  await setup.world.settled()
}
/** A conflict of a booking that does not fit, because the only room is booked. */
async function openFull() {
  const property = await openProperty(setup, { quantity: 1 })
  const { unitId } = property.rooms[0]!
  const taken = await addBooking(setup.owner, {
    unitId,
    checkIn: property.day(10),
    checkOut: property.day(12),
  })
  const revision = await sendBooking(setup, property)
  await poll(setup.world)
  const [conflict] = await conflictsOf(setup.owner, property.targetId)
  return { property, unitId, taken: taken as { id: string }, revision, conflict: conflict! }
}
const lines = async (property: Property) =>
  (await bookingsOf(setup.owner, property.rooms[0]!.unitId)).filter(({ source }) => source === 'pms')

suite('booking conflicts: happy', () => {
  test('waits for a free room, and names the bookings that occupy it', async () => {
    const { property, unitId, taken, conflict } = await openFull()
    assert.deepEqual([conflict.reason, conflict.unit_id, conflict.booking_id], ['no_room', unitId, null])
    assert.match(JSON.stringify(conflict.conflicts), new RegExp(taken.id))
    assert.deepEqual(await readFeed(setup, property), [])
    const [alert] = await openAlerts(setup.owner, property.targetId)
    assert.match(JSON.stringify(alert), new RegExp(conflict.external_id))
    const still = expectStatus(await setup.owner.post(`${path}/${conflict.id}/retry`), 201).booking_conflict
    assert.deepEqual([still.status, still.attempts], ['open', 2])
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    await retried()
    assert.deepEqual(
      (await lines(property)).map(({ status }) => status),
      ['confirmed'],
    )
    const { booking_conflict: closed } = expectStatus(await setup.owner.get(`${path}/${conflict.id}`), 200)
    assert.equal(closed.status, 'resolved')
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
  })

  test('changes with its unit: updated_at tells that the unit was deleted', async () => {
    const { property, unitId, taken, conflict } = await openFull()
    const { listingId } = property.rooms[0]!
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    const before = expectStatus(await setup.owner.get(`${path}/${conflict.id}`), 200).booking_conflict
    expectStatus(await setup.owner.delete(`/api/v1/units/${unitId}`), 204)
    const after = expectStatus(await setup.owner.get(`${path}/${conflict.id}`), 200).booking_conflict
    assert.deepEqual([before.unit_id, after.unit_id], [unitId, null])
    assert.ok(after.updated_at > before.updated_at)
  })

  test('notifies of a second conflict of a unit, and not of a retry', async () => {
    const { property, unitId } = await openFull()
    // By a notice: the feed would wait for all other writes.
    const reportedIds = async () => {
      const { database } = setup.world.resources
      const [events] = await database.pipelined({ orgId: setup.world.home.id }, [
        sql`select data #>> '{alert,details,external_id}' as id from events
          where type = 'booking.conflict' and data #>> '{alert,unit_id}' = ${unitId}`,
      ])
      return (events as { id: string }[]).map(({ id }) => id)
    }
    assert.equal((await reportedIds()).length, 1)
    await sendBooking(setup, property)
    await poll(setup.world)
    const conflicts = await conflictsOf(setup.owner, property.targetId)
    assert.equal(conflicts.length, 2)
    assert.equal((await openAlerts(setup.owner, property.targetId)).length, 1)
    for (const { id } of conflicts) expectStatus(await setup.owner.post(`${path}/${id}/retry`), 201)
    assert.deepEqual((await reportedIds()).sort(), conflicts.map(({ external_id }) => external_id).sort())
  })

  test('closes with a later revision that fits or cancels', async () => {
    for (const later of [
      { status: 'modified', from: 20, to: 22 },
      { status: 'cancelled', from: 10, to: 12 },
    ]) {
      const { property, revision, conflict } = await openFull()
      await sendBooking(setup, property, { booking_id: revision.attributes.booking_id, ...later })
      await poll(setup.world)
      const { booking_conflict } = expectStatus(await setup.owner.get(`${path}/${conflict.id}`), 200)
      assert.equal(booking_conflict.status, 'resolved', later.status)
      assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
    }
  })

  test('is not reopened by an older revision that arrives late', async () => {
    const { property, revision } = await openFull()
    const { booking_id } = revision.attributes
    const older = await sendBooking(setup, property, { booking_id, status: 'modified', from: 20, to: 22 })
    const newer = await sendBooking(setup, property, { booking_id, status: 'modified', from: 11, to: 13 })
    // In sequence: two notices at once are processed in any order, and the one that fits may be first.
    await sendNotice(property, newer)
    await sendNotice(property, older)
    assert.deepEqual(await lines(property), [])
    const open = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.deepEqual(
      open.map(({ reason }) => reason),
      ['no_room'],
    )
    assert.deepEqual(await readFeed(setup, property), [])
  })

  test('is accepted in another unit, where the booking stays when the PMS sends it again', async () => {
    const { property, conflict, revision } = await openFull()
    const accept = (unit_id: string) => setup.owner.post(`${path}/${conflict.id}/acceptance`, { unit_id })
    const [full, free] = [
      await addUnit(setup.owner, { space_id: property.spaceId }),
      await addUnit(setup.owner, { space_id: property.spaceId }),
    ]
    await addBooking(setup.owner, { unitId: full.id, checkIn: property.day(11), checkOut: property.day(12) })
    expectProblem(await accept(full.id), 409, 'booking-conflict')
    expectProblem(await accept(unknownId), 422, 'reference-not-found', '/unit_id')
    const { booking_conflict } = expectStatus(await accept(free.id), 201)
    const [booking, ...others] = await bookingsOf(setup.owner, free.id)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [booking!.source, booking!.arrival, booking!.departure, booking!.guestName],
      ['pms', property.day(10), property.day(12), 'Ada Lovelace'],
    )
    assert.deepEqual([booking_conflict.status, booking_conflict.booking_id], ['dismissed', booking!.id])
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
    const { type, data } = (await eventsOf(setup.world, setup.owner, conflict)).at(-1)
    assert.deepEqual([type, data.booking_conflict.status], ['conflict.dismissed', 'dismissed'])
    expectProblem(await accept(free.id), 409, 'invalid-status-transition')

    await sendNotice(property, revision)
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
    assert.equal((await bookingsOf(setup.owner, free.id)).length, 1)
    const { booking_id } = revision.attributes
    await sendBooking(setup, property, { booking_id, status: 'cancelled' })
    await poll(setup.world)
    const { status } = expectStatus(await setup.owner.get(`/api/v1/bookings/${booking!.id}`), 200).booking
    assert.equal(status, 'cancelled')
  })

  test('stays dismissed for the same revision', async () => {
    const { property, conflict, revision } = await openFull()
    const key = { 'idempotency-key': 'once' }
    const reason = 'Walked to the property next door.'
    for (let n = 0; n < 2; n++) {
      const reply = await setup.owner.post(`${path}/${conflict.id}/dismissal`, { reason }, key)
      const { booking_conflict } = expectStatus(reply, 201)
      assert.deepEqual([booking_conflict.status, booking_conflict.dismissal_reason], ['dismissed', reason])
    }
    assert.deepEqual(await openAlerts(setup.owner, property.targetId), [])
    expectProblem(await setup.owner.post(`${path}/${conflict.id}/retry`), 409, 'invalid-status-transition')
    expectProblem(
      await setup.owner.post(`${path}/${conflict.id}/dismissal`, { reason }),
      409,
      'invalid-status-transition',
    )
    const audit = expectStatus(
      await setup.owner.get('/api/v1/sync/audit?action=booking.conflict_dismissed'),
      200,
    ).audit as { actor: { type: string }; changes: { after: unknown }[] }[]
    assert.equal(audit[0]!.actor.type, 'user')
    assert.ok(audit[0]!.changes.some(({ after }) => after === reason))
    await sendNotice(property, revision)
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
    await sendBooking(setup, property, {
      booking_id: revision.attributes.booking_id,
      status: 'modified',
      from: 11,
    })
    await poll(setup.world)
    assert.equal((await conflictsOf(setup.owner, property.targetId, '&status=open')).length, 1)
  })
})

/** Sends the notice of a revision, and waits until it is processed. */
async function sendNotice(
  property: Property,
  { id, attributes }: { id: string; attributes: { booking_id: string } },
) {
  const payload = { booking_id: attributes.booking_id, property_id: property.propertyId, revision_id: id }
  const notice = { event: 'booking', payload, property_id: property.propertyId, user_id: null }
  const timestamp = new Date().toISOString()
  const reply = await setup.world
    .caller(null)
    .post(`/webhooks/pms/${property.targetId}`, { ...notice, timestamp })
  expectStatus(reply, 200)
  await setup.world.settled()
}

suite('booking conflicts: error', () => {
  test('returns 404 for an unknown id, 400 for an invalid id, filter or body', async () => {
    const bodies = {
      '/retry': undefined,
      '/dismissal': { reason: 'x' },
      '/acceptance': { unit_id: unknownId },
    }
    for (const [action, body] of [['', undefined] as const, ...Object.entries(bodies)]) {
      const send = (id: string) =>
        action === '' ? setup.owner.get(`${path}/${id}`) : setup.owner.post(`${path}/${id}${action}`, body)
      expectProblem(await send(unknownId), 404, 'not-found')
      for (const id of noIds) expectProblem(await send(id), 400, 'validation-error', '/id')
    }
    for (const query of ['status=done', 'reason=x', 'sort=reason', 'channel_target_id=1'])
      expectProblem(await setup.owner.get(`${path}?${query}`), 400, 'validation-error')
    expectProblem(await setup.owner.post(`${path}/${unknownId}/dismissal`, {}), 400, 'validation-error')
  })
})

suite('booking conflicts: security', () => {
  test('is hidden from other organizations, and needs permission to write', async () => {
    const { conflict } = await openFull()
    const stranger = await setup.world.away.as('owner')
    assert.deepEqual(expectStatus(await stranger.get(path), 200).booking_conflicts, [])
    expectProblem(await stranger.get(`${path}/${conflict.id}`), 404, 'not-found')
    expectProblem(await stranger.post(`${path}/${conflict.id}/retry`), 404, 'not-found')
    expectProblem(
      await stranger.post(`${path}/${conflict.id}/dismissal`, { reason: 'mine' }),
      404,
      'not-found',
    )
    expectProblem(
      await stranger.post(`${path}/${conflict.id}/acceptance`, { unit_id: unknownId }),
      404,
      'not-found',
    )
    const viewer = await setup.world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${conflict.id}`), 200)
    expectProblem(await viewer.post(`${path}/${conflict.id}/retry`), 403, 'forbidden')
    expectProblem(await setup.world.caller(null).get(path), 401, 'unauthorized')
  })
})
