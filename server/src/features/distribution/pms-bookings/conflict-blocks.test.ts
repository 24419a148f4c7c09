import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { bookingsOf, conflictsOf, poll, roomsAtChannex, sendBooking } from '#test/pms-bookings.ts'
import { addBooking, addUnit, systemScope } from '#test/records.ts'
import { reservations } from '#test/reservations.ts'
import { runSql } from '#test/run-sql.ts'
import { retryConflict } from './close-conflict.ts'
import { enqueueConflictRetries } from './jobs.ts'

/** The nights of a booking of a PMS that does not fit are not sold again. */

const setup = channexWorld({ limited: false })
const { line, placesOf, read, modify, begin } = reservations(setup)
const path = '/api/v1/booking-conflicts'

/** The free rooms from the 10th night on, as Channex shows them, once all is pushed. */
const shows = (property: Property, rooms: number[]) =>
  until(
    async () => {
      await setup.world.settled()
      return await Promise.all(rooms.map((_, at) => roomsAtChannex(setup, property, 0, 10 + at)))
    },
    (shown) => JSON.stringify(shown) === JSON.stringify(rooms),
    20,
  )

const book = (property: Property, from: number, to: number, fields: object = {}) =>
  addBooking(setup.owner, {
    unitId: property.rooms[0]!.unitId,
    checkIn: property.day(from),
    checkOut: property.day(to),
    ...fields,
  }) as Promise<{ id: string }>

const cancel = async ({ id }: { id: string }) =>
  expectStatus(await setup.owner.patch(`/api/v1/bookings/${id}`, { status: 'cancelled' }), 200)

const retried = async () => {
  await enqueueConflictRetries(setup.world.resources)
  await setup.world.settled()
}

/** All rooms of the second of three nights are sold here, and a booking of the PMS has all three. */
async function openConflict(quantity: number) {
  const property = await openProperty(setup, { quantity })
  const taken = await book(property, 11, 12, { rooms: quantity })
  const revision = await sendBooking(setup, property, { from: 10, to: 13 })
  await poll(setup.world)
  const [conflict] = await conflictsOf(setup.owner, property.targetId, '&status=open')
  assert.equal(conflict!.reason, 'no_room')
  return { property, taken, revision, conflict: conflict! }
}

suite('the rooms of a booking that does not fit', () => {
  test('are sold neither at the PMS nor here, until it fits', async () => {
    const { property, taken } = await openConflict(2)
    await shows(property, [1, 0, 1, 2])
    const [[event]] = (await setup.world.resources.database.pipelined({ orgId: setup.world.home.id }, [
      sql`
        select account_id, data #>> '{calendar,date_from}' as date_from
        from events
        where type = 'calendar.updated'
          and data #>> '{calendar,unit_ids,0}' = ${property.rooms[0]!.unitId}`,
    ])) as [[object]]
    assert.deepEqual(event, { account_id: setup.world.home.accountId, date_from: property.day(10) })
    const stay = { unitId: property.rooms[0]!.unitId, guestName: 'Ada', rooms: 2 }
    const [checkIn, checkOut] = [property.day(12), property.day(13)]
    const reply = await setup.owner.post('/api/v1/bookings', { ...stay, checkIn, checkOut })
    const { nights } = expectProblem(reply, 409, 'booking-conflict') as unknown as { nights: object[] }
    assert.deepEqual(nights, [{ night: property.day(12), booked: 0, blocked: 1 }])
    await book(property, 12, 13)
    await cancel(taken)
    await retried()
    await shows(property, [1, 1, 0, 2])
    const bookings = await bookingsOf(setup.owner, stay.unitId)
    assert.equal(
      bookings.filter(({ source, status }) => source === 'pms' && status === 'confirmed').length,
      1,
    )
    const query = `unit_id=${stay.unitId}&from=${property.day(10)}&to=${property.day(13)}`
    const { calendar } = expectStatus(await setup.owner.get(`/api/v1/calendar?${query}`), 200)
    assert.ok(calendar[0].availability.every(({ blocked }: { blocked: number }) => blocked === 0))
  })

  test('are free when a person dismisses it, and when the PMS cancels it', async () => {
    const dismissed = await openConflict(1)
    await shows(dismissed.property, [0, 0, 0])
    const reason = { reason: 'The guest has another room.' }
    expectStatus(await setup.owner.post(`${path}/${dismissed.conflict.id}/dismissal`, reason), 201)
    await shows(dismissed.property, [1, 0, 1])
    const { property, revision } = await openConflict(1)
    const { booking_id } = revision.attributes
    await sendBooking(setup, property, { booking_id, status: 'cancelled', from: 10, to: 13 })
    await poll(setup.world)
    await shows(property, [1, 0, 1])
  })

  test('follow its stay, and are not counted twice where it has a room here', async () => {
    const property = await openProperty(setup, { quantity: 2 })
    const { attributes } = await sendBooking(setup, property, { from: 10, to: 12 })
    await poll(setup.world)
    await book(property, 13, 14, { rooms: 2 })
    const revise = async (to: number) => {
      await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', to })
      await poll(setup.world)
    }
    await revise(14)
    await shows(property, [1, 1, 1, 0, 2])
    await revise(15)
    await shows(property, [1, 1, 1, 0, 1])
    await revise(12)
    await shows(property, [1, 1, 2, 0, 2])
  })

  test('do not keep another one that waits out of a room that has become free', async () => {
    const { property, taken } = await openConflict(1)
    await sendBooking(setup, property, { from: 11, to: 14 })
    await poll(setup.world)
    const open = () => conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.equal((await open()).length, 2)
    await cancel(taken)
    await retried()
    assert.equal((await open()).length, 1)
    const bookings = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(bookings.map(({ source, status }) => `${source} ${status}`).sort(), [
      'direct cancelled',
      'pms confirmed',
    ])
    await shows(property, [0, 0, 0, 0, 1])
  })

  test('are pushed when one of two equal lines gets another unit', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 2 })
    await book(property, 11, 12, { rooms: 2 })
    await begin(property, [line(property, 0, 10, 13), line(property, 0, 10, 13)])
    await shows(property, [0, 0, 0, 2])
    const [conflict] = await conflictsOf(setup.owner, property.targetId, '&status=open')
    const unit = { unit_id: property.rooms[1]!.unitId }
    expectStatus(await setup.owner.post(`${path}/${conflict!.id}/acceptance`, unit), 201)
    await shows(property, [1, 0, 1, 2])
  })

  test('are those of the unit to which a user moved it, and free when it fits there', async () => {
    const property = await openProperty(setup, { rooms: 2, quantity: 1 })
    const reservation = await begin(property, [line(property, 0, 10, 11)])
    const [id] = Object.keys(await placesOf(property))
    const { unitId } = property.rooms[1]!
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${id}`, { unitId, guests: 2 }), 200)
    const taken = await book(property, 12, 13, { unitId })
    await modify(property, reservation, [line(property, 0, 10, 14)])
    const open = () => conflictsOf(setup.owner, property.targetId, '&status=open')
    const [conflict] = await open()
    assert.deepEqual([conflict!.reason, conflict!.unit_id], ['no_room', unitId])
    // Only what happens to the unit in which it stays is a reason to try it again.
    const tried = sql`update listing_syncs set changed_at = '2000-01-01Z' where channel_target_id = ${property.targetId}`
    await runSql(setup.world, tried)
    await cancel(taken)
    await retried()
    assert.deepEqual(await open(), [])
    assert.equal((await read(id!)).departure, property.day(14))
  })

  test('are free when it is dismissed while another one is tried in the same unit', async () => {
    const { property, conflict } = await openConflict(1)
    await sendBooking(setup, property, { from: 11, to: 14 })
    await poll(setup.world)
    const open = await conflictsOf(setup.owner, property.targetId, '&status=open')
    const other = open.find(({ id }) => id !== conflict.id)!
    const { world, owner } = setup
    const dismissal = await atomically(systemScope(world, world.home), async (transaction) => {
      await retryConflict(transaction, world.resources.pms, other.id)
      const reply = owner.post(`${path}/${conflict.id}/dismissal`, { reason: 'The guest has another room.' })
      await until(
        () => runSql(world, sql`select 1 from pg_locks where not granted`),
        ({ length }) => length > 0,
      )
      return { reply }
    })
    expectStatus(await dismissal.reply, 201)
    await book(property, 10, 11)
  })

  test('are free when it fits in a unit that no target sells', async () => {
    const property = await openProperty(setup, { quantity: 1 })
    const { attributes } = await sendBooking(setup, property, { from: 10, to: 12 })
    await poll(setup.world)
    const { id: unitId } = await addUnit(setup.owner, { max_guests: 4 })
    const [booking] = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    expectStatus(await setup.owner.patch(`/api/v1/bookings/${booking!.id}`, { unitId }), 200)
    const taken = await book(property, 13, 14, { unitId })
    await sendBooking(setup, property, { booking_id: attributes.booking_id, status: 'modified', to: 15 })
    await poll(setup.world)
    await cancel(taken)
    const { database } = setup.world.resources
    await database.pipelined({ orgId: setup.world.home.id }, [
      sql`update booking_conflicts set tried_at = tried_at - interval '6 minutes' where unit_id = ${unitId}`,
    ])
    await retried()
    const [moved] = (await bookingsOf(setup.owner, unitId)).filter(({ source }) => source === 'pms')
    assert.equal(moved!.departure, property.day(15))
    assert.deepEqual(await conflictsOf(setup.owner, property.targetId, '&status=open'), [])
  })

  test('stay blocked when a later revision of it cannot be processed', async () => {
    const { property, revision, conflict } = await openConflict(2)
    await runSql(
      setup.world,
      sql`create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'not today' using errcode = '22000'; end $$`,
    )
    await runSql(
      setup.world,
      sql`create trigger fail before update on pms_bookings for each row execute function fail()`,
    )
    const { booking_id } = revision.attributes
    await sendBooking(setup, property, {
      booking_id,
      status: 'modified',
      from: 10,
      to: 13,
      customer: { name: 'Eve' },
    })
    await poll(setup.world)
    await runSql(setup.world, sql`drop trigger fail on pms_bookings`)
    const open = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.deepEqual(
      open.map(({ id, reason }) => [id, reason]),
      [[conflict.id, 'no_room']],
    )
    await shows(property, [1, 0, 1, 2])
    await poll(setup.world)
    const [applied] = await conflictsOf(setup.owner, property.targetId, '&status=open')
    assert.equal(applied!.booking.guestName, 'Eve')
  })

  test('are free when the target is deleted', async () => {
    const { property } = await openConflict(1)
    const { listingId, unitId } = property.rooms[0]!
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${listingId}`), 204)
    expectStatus(await setup.owner.delete(`/api/v1/channel-targets/${property.targetId}`), 204)
    await addBooking(setup.owner, { unitId, checkIn: property.day(10), checkOut: property.day(11) })
  })
})
