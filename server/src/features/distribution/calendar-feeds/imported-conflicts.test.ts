import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { feedsPath, openImports } from '#test/calendar-imports.ts'
import { calendarOf, openCalendarServer } from '#test/calendars.ts'
import { channexWorld, openProperty } from '#test/channex-live.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { bookingsOf, conflictsOf, poll, sendBooking, type TestConflict } from '#test/pms-bookings.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { enqueueConflictRetries } from '#features/distribution/pms-bookings/jobs.ts'

/** Reservations of imported calendars for nights that are sold here, in either order. */

const setup = channexWorld({ limited: false })
let elsewhere: Awaited<ReturnType<typeof openCalendarServer>>
const importsHere = () => openImports(setup.world, setup.owner)
let served = 0

before(async () => {
  elsewhere = await openCalendarServer()
})
after(() => elsewhere.close())

const list = async (path: string, member: string) =>
  expectStatus(await setup.owner.get(`${path}&limit=100`), 200)[member]
const conflictsAt = (unitId: string, query = ''): Promise<TestConflict[]> =>
  list(`/api/v1/booking-conflicts?unit_id=${unitId}&sort=created_at${query}`, 'booking_conflicts')
const openConflictsAt = (unitId: string) => conflictsAt(unitId, '&status=open')
const alertsAt = (unitId: string): Promise<{ details: Record<string, unknown> }[]> =>
  list(`/api/v1/alerts?unit_id=${unitId}&status=open&kind=booking.conflict`, 'alerts')
const book = (unitId: string, from: number, to: number) =>
  addBooking(setup.owner, { unitId, checkIn: inDays(from), checkOut: inDays(to) })
const cancel = async (id: string) =>
  expectStatus(await setup.owner.patch(`/api/v1/bookings/${id}`, { status: 'cancelled' }), 200)

/** An import of these stays. */
async function importing(unitId: string, ...stays: Parameters<typeof calendarOf>) {
  const imports = importsHere()
  const path = `/imported-${++served}.ics`
  const url = elsewhere.serve(path, calendarOf(...stays))
  const feed = await imports.fetched(await imports.add({ unit_id: unitId, url, name: 'Airbnb' }))
  return {
    feed,
    /** Reads the calendar again with these stays. */
    again: (...now: Parameters<typeof calendarOf>) => {
      elsewhere.serve(path, calendarOf(...now))
      return imports.again(feed)
    },
  }
}
/** Retries as the scheduler does a minute later. */
async function retryConflicts(): Promise<void> {
  await importsHere().run(sql`update booking_conflicts set tried_at = tried_at - interval '2 minutes'`)
  await enqueueConflictRetries(setup.world.resources)
  await setup.world.settled()
}
async function openOverlap() {
  const { id: unitId } = await addUnit(setup.owner)
  const booking = await book(unitId, 20, 23)
  const imported = await importing(unitId, [inDays(22), inDays(25)])
  const [conflict] = await openConflictsAt(unitId)
  return { unitId, booking, ...imported, conflict: conflict! }
}

suite('imported reservations: happy', () => {
  test('records a conflict for sold nights, with an alert and an e-mail', async () => {
    const preferences = { emails: ['office@casa.example'] }
    expectStatus(await setup.owner.put('/api/v1/notification-preferences', preferences), 200)
    const { unitId, booking, feed, conflict } = await openOverlap()
    assert.deepEqual(
      { ...conflict, conflicts: undefined },
      {
        ...conflict,
        conflicts: undefined,
        calendar_feed_id: feed.id,
        calendar_feed: { id: feed.id, name: 'Airbnb' },
        channel_target_id: null,
        external_id: `${inDays(22)}/${inDays(25)}`,
        reason: 'imported_reservation',
        status: 'open',
      },
    )
    assert.deepEqual(conflict.conflicts, [
      { booking_id: booking.id, check_in: inDays(20), check_out: inDays(23), rooms: 1 },
    ])
    const [alert] = await alertsAt(unitId)
    assert.equal(alert!.details['calendar_feed_id'], feed.id)
    const mails = await until(
      () => list('/api/v1/notifications?kind=booking.conflict&channel=email', 'notifications'),
      (found: { to: string }[]) => found.length > 0,
    )
    assert.deepEqual(
      mails.map(({ to }) => to),
      preferences.emails,
    )
    assert.equal(
      (await list(`/api/v1/booking-conflicts?calendar_feed_id=${feed.id}`, 'booking_conflicts')).length,
      1,
    )
  })

  test('records no conflict for adjacent stays or free rooms', async () => {
    const { id: small } = await addUnit(setup.owner)
    await book(small, 20, 23)
    await importing(small, [inDays(18), inDays(20)], [inDays(23), inDays(24)])
    const { id: large } = await addUnit(setup.owner, { quantity: 2 })
    await book(large, 20, 23)
    const { again } = await importing(large, [inDays(20), inDays(23)])
    assert.deepEqual([await conflictsAt(small), await conflictsAt(large)], [[], []])
    await again([inDays(20), inDays(23)], [inDays(22), inDays(24)])
    assert.equal((await openConflictsAt(large)).length, 2)
  })

  test('keeps the conflict when the UID changes, without a second e-mail', async () => {
    const { unitId, again, conflict } = await openOverlap()
    const before = await alertsAt(unitId)
    await again([inDays(22), inDays(25), 'another@elsewhere'])
    assert.deepEqual(await conflictsAt(unitId), [conflict])
    assert.deepEqual(await alertsAt(unitId), before)
  })

  test('closes when the reservation or the booking is removed', async () => {
    const { id: unitId } = await addUnit(setup.owner)
    await book(unitId, 20, 23)
    const other = [inDays(40), inDays(50)] as const
    const { again } = await importing(unitId, [inDays(22), inDays(25)], other)
    assert.equal((await openConflictsAt(unitId)).length, 1)
    await again(other)
    const first = await conflictsAt(unitId)
    assert.equal(first[0]!.status, 'resolved')
    assert.deepEqual(await alertsAt(unitId), [])
    const second = await openOverlap()
    await cancel(second.booking.id)
    await retryConflicts()
    const [closed] = await conflictsAt(second.unitId)
    assert.equal(closed!.status, 'resolved')
    assert.deepEqual(await alertsAt(second.unitId), [])
  })

  test('resolves the alert with the last conflict, and with the import', async () => {
    const { id: unitId } = await addUnit(setup.owner)
    const one = await book(unitId, 20, 22)
    await book(unitId, 25, 27)
    const { feed } = await importing(unitId, [inDays(21), inDays(22)], [inDays(26), inDays(28)])
    assert.equal((await openConflictsAt(unitId)).length, 2)
    await cancel(one.id)
    await retryConflicts()
    assert.equal((await openConflictsAt(unitId)).length, 1)
    assert.equal((await alertsAt(unitId)).length, 1)
    assert.equal((await setup.owner.delete(`${feedsPath}/${feed.id}`)).status, 204)
    assert.deepEqual([await openConflictsAt(unitId), await alertsAt(unitId)], [[], []])
  })

  test('stays dismissed with the next import', async () => {
    const { unitId, again, conflict } = await openOverlap()
    const place = `/api/v1/booking-conflicts/${conflict.id}`
    const still = expectStatus(await setup.owner.post(`${place}/retry`), 201).booking_conflict
    assert.deepEqual([still.status, still.attempts], ['open', 2])
    expectStatus(await setup.owner.post(`${place}/dismissal`, { reason: 'The same guest.' }), 201)
    assert.deepEqual(await alertsAt(unitId), [])
    await again([inDays(22), inDays(25)])
    assert.deepEqual(await openConflictsAt(unitId), [])
    await again([inDays(22), inDays(25)], [inDays(21), inDays(22)])
    assert.equal((await openConflictsAt(unitId)).length, 1)
    expectProblem(await setup.owner.post(`${place}/retry`), 409, 'invalid-status-transition')
  })

  test('rejects a booking for nights that are reserved there, up to two years ahead', async () => {
    const { id: unitId } = await addUnit(setup.owner)
    await importing(unitId, [inDays(600), inDays(603)])
    const stay = { unitId, guestName: 'Ada', checkIn: inDays(602), checkOut: inDays(604) }
    expectProblem(await setup.owner.post('/api/v1/bookings', stay), 409, 'booking-conflict')
  })

  test('rejects a later booking, and records a conflict for one of the PMS', async () => {
    const property = await openProperty(setup, { quantity: 1 })
    const { unitId } = property.rooms[0]!
    await importing(unitId, [property.day(10), property.day(12)])
    const stay = { unitId, guestName: 'Ada', checkIn: property.day(11), checkOut: property.day(13) }
    expectProblem(await setup.owner.post('/api/v1/bookings', stay), 409, 'booking-conflict')
    await sendBooking(setup, property)
    await poll(setup.world)
    const [conflict] = await conflictsOf(setup.owner, property.targetId)
    assert.equal(conflict!.reason, 'no_room')
    assert.ok(conflict!.conflicts.some((one) => 'block' in one))
    assert.deepEqual(await bookingsOf(setup.owner, unitId), [])
    assert.equal((await alertsAt(unitId)).length, 1)
  })
})

suite('imported reservations: security', () => {
  test('is hidden from other organizations', async () => {
    const { conflict } = await openOverlap()
    const stranger = await setup.world.away.as('owner')
    const place = `/api/v1/booking-conflicts/${conflict.id}`
    expectProblem(await stranger.get(place), 404, 'not-found')
    expectProblem(await stranger.post(`${place}/retry`), 404, 'not-found')
    expectProblem(await stranger.post(`${place}/dismissal`, { reason: 'mine' }), 404, 'not-found')
  })
})
