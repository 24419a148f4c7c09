import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expireOverdueHolds } from './jobs.ts'
import type { Database } from '#db/connect.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addListing, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { bookingStatuses, type Booking, type BookingStatus } from './booking.ts'

const { world, owner } = shareWorld({ workers: true })
let database: Database

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const path = '/api/v1/bookings'
const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await database.pipelined({ orgId: world.home.id }, [statement]))[0]
const patch = (id: string, fields: object) => owner.patch(`${path}/${id}`, fields)

/** The ways from a new booking to each state. */
const ways: Record<BookingStatus, BookingStatus[]> = {
  pending: ['pending'],
  confirmed: ['confirmed'],
  checked_in: ['confirmed', 'checked_in'],
  checked_out: ['confirmed', 'checked_in', 'checked_out'],
  cancelled: ['confirmed', 'cancelled'],
  declined: ['pending', 'declined'],
  expired: ['pending', 'expired'],
  no_show: ['confirmed', 'no_show'],
}
const followers: Partial<Record<BookingStatus, BookingStatus[]>> = {
  pending: ['confirmed', 'declined', 'expired', 'cancelled'],
  confirmed: ['checked_in', 'cancelled', 'no_show'],
  checked_in: ['checked_out'],
}
const blocking = ['pending', 'confirmed', 'checked_in', 'checked_out']

async function bookingIn(status: BookingStatus, unitId: string) {
  const [first, ...steps] = ways[status]
  const { id } = await addBooking(owner, { unitId, status: first })
  for (const step of steps) expectStatus(await patch(id, { status: step }), 200)
  return id as string
}

suite('bookings: states', () => {
  for (const from of bookingStatuses)
    test(`follows the table of transitions from ${from}`, async () => {
      for (const to of bookingStatuses) {
        const unit = await addUnit(owner)
        const id = await bookingIn(from, unit.id)
        const reply = await patch(id, { status: to })
        const isLegal = from === to || followers[from]?.includes(to)
        if (isLegal) assert.equal(expectStatus(reply, 200).booking.status, to)
        else expectProblem(reply, 409, 'invalid-status-transition')
        const now = isLegal ? to : from
        assert.equal((await owner.get(`${path}/${id}`)).body.booking.status, now)
        const other = await owner.post(path, {
          unitId: unit.id,
          guestName: 'Next',
          checkIn: '2030-07-01',
          checkOut: '2030-07-02',
        })
        // A stay that is over has given back the nights after it, and these are years away.
        const isTaken = blocking.includes(now)
        assert.equal(other.status, isTaken ? 409 : 201, `${from} → ${to}: ${other.text}`)
      }
    })

  test('a cancellation has time and reason, and an ended booking keeps its stay', async () => {
    const unit = await addUnit(owner)
    const { id } = await addBooking(owner, { unitId: unit.id })
    expectProblem(
      await patch(id, { cancellationReason: 'host' }),
      422,
      'semantic-error',
      '/cancellationReason',
    )
    const { booking } = expectStatus(
      await patch(id, { status: 'cancelled', cancellation_reason: 'host' }),
      200,
    )
    assert.equal(booking.cancellationReason, 'host')
    assert.ok(Date.parse(booking.cancelledAt) > Date.now() - 60_000)
    for (const fields of [{ checkOut: '2030-07-05' }, { rooms: 2 }, { guests: 2 }])
      assert.ok(['booking-ended', 'semantic-error'].includes((await patch(id, fields)).body.code))
    expectProblem(await patch(id, { checkOut: '2030-07-05' }), 409, 'booking-ended')
    expectStatus(await patch(id, { notes: 'Was kind about it.' }), 200)
  })

  test('an early check-out frees the remaining nights', async () => {
    const unit = await addUnit(owner)
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const importer = await world.home.as('service', { permissions: ['bookings:import', 'bookings:write'] })
    const { id } = await addBooking(importer, { unitId: unit.id, checkIn: day(-3), checkOut: day(10) })
    expectStatus(await patch(id, { status: 'checked_in' }), 200)
    const { booking } = expectStatus(await patch(id, { status: 'checked_out' }), 200)
    assert.ok(booking.departure <= day(1), booking.departure)
    assert.equal(booking.arrival, day(-3))
    assert.ok(booking.checkOut.slice(11, 13) === '10' || booking.checkOut.slice(11, 13) === '11')
    await addBooking(owner, { unitId: unit.id, checkIn: day(2), checkOut: day(10) })
  })
})

suite('bookings: holds', () => {
  test('a pending booking occupies its rooms until it expires', async () => {
    const unit = await addUnit(owner)
    const { id, holdExpiresAt } = await addBooking(owner, { unitId: unit.id, status: 'pending' })
    const minutes = (Date.parse(holdExpiresAt) - Date.now()) / 60_000
    assert.ok(minutes > 29 && minutes <= 30, `${minutes} min`)
    const jobs = await run(sql<{ at: string }>`select due_at as at from queue.jobs
      where queue = 'upkeep' and data -> 'payload' ->> 'bookingId' = ${id}`)
    assert.equal(jobs.length, 1)
    // At the next slot of the clock, and never before.
    const late = Date.parse(jobs[0]!.at) - Date.parse(holdExpiresAt)
    assert.ok(late >= 0 && late < 50, `${late} ms`)
    await run(sql`update bookings set hold_expires_at = now() - interval '1 minute' where id = ${id}`)
    expectProblem(await patch(id, { status: 'confirmed' }), 409, 'invalid-status-transition')
    assert.equal(await expireOverdueHolds(world.resources), 1)
    await world.settled()
    const { booking } = (await owner.get(`${path}/${id}`)).body
    assert.deepEqual([booking.status, booking.holdExpiresAt], ['expired', null])
    await addBooking(owner, { unitId: unit.id })
    assert.equal(await expireOverdueHolds(world.resources), 0)
  })

  test('uses the hold time of the organization; a confirmed hold does not expire', async () => {
    const unit = await addUnit(owner, { quantity: 2 })
    await run(
      sql`update organizations set settings = settings || '{"booking":{"hold_minutes":5}}' where id = ${world.home.id}`,
    )
    const { id, holdExpiresAt } = await addBooking(owner, { unitId: unit.id, status: 'pending' })
    assert.ok(Date.parse(holdExpiresAt) - Date.now() <= 5 * 60_000)
    const { booking } = expectStatus(await patch(id, { status: 'confirmed' }), 200)
    assert.equal(booking.holdExpiresAt, null)
    await run(
      sql`update queue.jobs set due_at = now() where queue = 'upkeep' and data -> 'payload' ->> 'bookingId' = ${id}`,
    )
    await world.settled()
    assert.equal((await owner.get(`${path}/${id}`)).body.booking.status, 'confirmed')
  })
})

suite('bookings: what follows from a change', () => {
  test('push, audit and events are written in its transaction, without the guest in the audit', async () => {
    const from = await addListing(owner)
    const to = await addListing(owner)
    await world.settled()
    const { id } = await addBooking(owner, { unitId: from.unit_id, guestName: 'Grace Hopper' })
    const touched = () =>
      run(sql<object>`select unit_id, changed_from::text as first, changed_to::text as last from listing_syncs
        where unit_id in (${from.unit_id}, ${to.unit_id}) and wanted_version > 0 order by unit_id = ${to.unit_id}`)
    await world.settled()
    const versions = () =>
      run(sql<{ v: number }>`select wanted_version as v from listing_syncs
        where unit_id in (${from.unit_id}, ${to.unit_id}) order by unit_id = ${to.unit_id}`)
    const before = await versions()
    expectStatus(await patch(id, { unitId: to.unit_id }), 200)
    assert.deepEqual(
      (await versions()).map(({ v }, at) => v - before[at]!.v),
      [1, 1],
      JSON.stringify(await touched()),
    )
    await world.settled()
    const quiet = await versions()
    expectStatus(await patch(id, { guestName: 'Grace', notes: 'x' }), 200)
    assert.deepEqual(await versions(), quiet, 'a name is no matter of the PMS')
    expectStatus(await patch(id, { status: 'cancelled', cancellationReason: 'host' }), 200)
    const recorded = await run(
      sql<{
        type: string
        data: { booking: Booking; previous: Partial<Booking> }
      }>`select type, data from events where subject_id = ${id} order by position`,
    )
    assert.deepEqual(
      recorded.map(({ type }) => type),
      ['booking.created', 'booking.updated', 'booking.updated', 'booking.cancelled'],
    )
    assert.equal(recorded[3]!.data.booking.status, 'cancelled')
    assert.deepEqual(recorded[3]!.data.previous.status, 'confirmed')
    assert.equal(recorded[1]!.data.previous.unitId, from.unit_id)
    const { audit } = (await owner.get('/api/v1/sync/audit?limit=100')).body
    const mine = audit.filter(
      ({ action, changes }: { action: string; changes: { field: string; after: string }[] }) =>
        action.startsWith('booking.') &&
        changes.some(({ field, after }) => field === 'booking' && after === id),
    )
    assert.deepEqual(
      mine.map(({ action }: { action: string }) => action),
      ['booking.cancelled', 'booking.changed', 'booking.changed', 'booking.created'],
    )
    assert.ok(!JSON.stringify(mine).includes('Grace'))
    assert.deepEqual(
      mine[0].changes.find(({ field }: { field: string }) => field === 'status'),
      { field: 'status', before: 'confirmed', after: 'cancelled' },
    )
  })

  test('deleting one that was cancelled before is no second cancellation', async () => {
    for (const [status, deletion] of [
      ['confirmed', ['booking.cancelled', 'booking.deleted']],
      ['cancelled', ['booking.deleted']],
      ['declined', ['booking.deleted']],
    ] as const) {
      const [first, ...others] = ways[status]
      const { id } = await addBooking(owner, { unitId: (await addUnit(owner)).id, status: first })
      for (const other of others) expectStatus(await patch(id, { status: other }), 200)
      const before = await eventsOf(world, owner, { id })
      expectStatus(await owner.delete(`${path}/${id}`), 204)
      const recorded = (await eventsOf(world, owner, { id })).slice(before.length)
      assert.deepEqual(
        recorded.map(({ type }) => type),
        deletion,
        status,
      )
    }
  })
})
