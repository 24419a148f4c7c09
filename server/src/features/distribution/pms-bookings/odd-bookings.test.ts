import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { atomically, rows, type Transaction } from '#db/scope.ts'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { channexWorld, openProperty, type Property } from '#test/channex-live.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { addBooking, systemScope } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { retryOpenConflict } from './close-conflict.ts'
import {
  applyRevision,
  bookingsOf,
  conflictsOf,
  openAlerts,
  readFeed,
  poll,
  roomLine,
  sendBooking,
  type TestBooking,
} from '#test/pms-bookings.ts'

/** Bookings that are invalid or cannot be saved. */

const setup = channexWorld({ limited: false })
const lines = (property: Property) => bookingsOf(setup.owner, property.rooms[0]!.unitId)

suite('odd bookings: error', () => {
  test('records and acknowledges incomplete and invalid revisions', async () => {
    const property = await openProperty(setup, { quantity: 30 })
    const { roomTypeId, plans } = property.rooms[0]!
    const line = roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from: 10, to: 12 })
    const odd: [object, string | null][] = [
      [{ rooms: null }, 'incomplete'],
      [{ rooms: [] }, 'incomplete'],
      [{ rooms: [{ ...line, room_type_id: null }] }, 'unlinked_room'],
      [{ rooms: [{ ...line, room_type_id: 'nobody' }] }, 'unlinked_room'],
      [{ rooms: [{ ...line, rate_plan_id: null }] }, 'unlinked_plan'],
      [{ rooms: [{ ...line, checkin_date: '2030-02-31' }] }, 'incomplete'],
      [{ rooms: [{ ...line, checkin_date: null }] }, 'incomplete'],
      [{ rooms: [{ ...line, checkout_date: property.day(10) }] }, 'impossible_stay'],
      [{ rooms: [{ ...line, checkout_date: property.day(5) }] }, 'impossible_stay'],
      [{ rooms: [{ ...line, checkout_date: '2190-01-01' }] }, 'impossible_stay'],
      [{ customer: null, currency: null, amount: null }, null],
      [{ customer: { name: 'A\0\ud800' }, currency: 'ZZZ', amount: 'lots' }, null],
      [{ rooms: [{ ...line, occupancy: 'two', amount: {}, days: { x: 'y' } }] }, null],
    ]
    for (const [says] of odd) await sendBooking(setup, property, says as Record<string, unknown>)
    await poll(setup.world)
    assert.deepEqual(await readFeed(setup, property), [])
    const reasons = (await conflictsOf(setup.owner, property.targetId)).map(({ reason }) => reason)
    const wanted = odd.map(([, reason]) => reason).filter((reason) => reason !== null)
    assert.deepEqual(reasons.toSorted(), wanted.toSorted())
    assert.equal((await lines(property)).length, 4)
  })

  test('keeps notes of any length, and the beginning of a long name', async () => {
    const { world, owner } = setup
    const { targetId, externalId, unitId } = await addLinkedUnit(owner)
    const [notes, guest_name] = ['Late arrival, needs a cot. '.repeat(100), 'Ada '.repeat(100)]
    const stay = { unit_external_id: externalId, check_in: '2031-07-01', check_out: '2031-07-04' }
    const message = { type: 'booking.created', data: { external_id: 'L-1', ...stay, guest_name, notes } }
    expectStatus(await world.caller(null).post(`/webhooks/pms/${targetId}`, message), 200)
    await world.settled()
    const [{ id }] = (await bookingsOf(owner, unitId)) as [TestBooking]
    const { booking } = expectStatus(await owner.get(`/api/v1/bookings/${id}`), 200)
    assert.deepEqual([booking.pms_notes, booking.guestName], [notes, guest_name.slice(0, 255).trim()])
  })

  test('leaves a booking that cannot be saved in the feed, and applies the others', async () => {
    const property = await openProperty(setup, { quantity: 9 })
    const database = openOwner(setup.world.databaseUrl)
    const run = (statement: ReturnType<typeof sql>) => database.pipelined({ orgId: null }, [statement])
    await run(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not today' using errcode = '22000'; end $$`)
    await run(sql`create trigger refuse before insert on bookings for each row
      when (new.guest_name like 'Eve%') execute function refuse()`)
    await sendBooking(setup, property)
    await sendBooking(setup, property, { customer: { name: 'Eve' } })
    await sendBooking(setup, property)
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 1)
    assert.equal((await lines(property)).length, 2)
    const [conflict] = await conflictsOf(setup.owner, property.targetId)
    assert.equal(conflict!.reason, 'not_processed')
    assert.doesNotMatch(conflict!.message, /not today/)
    const { id } = conflict!
    const { home, resources } = setup.world
    await runSql(setup.world, sql`update booking_conflicts set tried_at = '2000-01-01Z' where id = ${id}`)
    const retry = retryOpenConflict(systemScope(setup.world, home), resources.pms, id)
    await assert.rejects(retry, { code: '22000' })
    const due = sql`select 1 from booking_conflicts_to_retry() where booking_conflict_id = ${id}`
    assert.deepEqual(await runSql(setup.world, due), [], 'it would be tried before all others again')
    await run(sql`drop trigger refuse on bookings`)
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 0)
    assert.equal((await lines(property)).length, 3)
    assert.equal((await conflictsOf(setup.owner, property.targetId))[0]!.status, 'resolved')
    await database.close()
  })

  test('closes a conflict whose revision is older than the applied one, when it is retried', async () => {
    const { world, owner } = setup
    const property = await openProperty(setup)
    await sendBooking(setup, property, { rooms: null })
    await poll(world)
    const [conflict] = await conflictsOf(owner, property.targetId)
    await runSql(
      world,
      sql`update pms_bookings set revised_at = now() + interval '1 day' where channel_target_id = ${property.targetId}`,
    )
    const retry = await owner.post(`/api/v1/booking-conflicts/${conflict!.id}/retry`)
    assert.equal(expectStatus(retry, 201).booking_conflict.status, 'resolved')
    assert.deepEqual(await openAlerts(owner, property.targetId), [])
  })

  test('keeps a conflict open that gets a newer revision while it is retried', async () => {
    const { world, owner } = setup
    const { targetId, externalId, unitId } = await addLinkedUnit(owner)
    const night = (day: number) => ({ checkIn: `2031-07-0${day}`, checkOut: `2031-07-0${day + 1}` })
    for (const day of [1, 5]) await addBooking(owner, { unitId, ...night(day) })
    const scope = systemScope(world, world.home)
    const revise = (transaction: Transaction, day: number) => {
      const { checkIn: arrival, checkOut: departure } = night(day)
      const revisedAt = `2031-01-0${day}T00:00:00Z`
      return applyRevision(transaction, targetId, {
        revisedAt,
        line: { listing: externalId, arrival, departure },
      })
    }
    await atomically(scope, (transaction) => revise(transaction, 1))
    const [before] = await conflictsOf(owner, targetId)
    const { retrying } = await atomically(scope, async (transaction) => {
      await rows(
        transaction,
        sql`select 1 from pms_bookings where channel_target_id = ${targetId} for update`,
      )
      const retrying = owner.post(`/api/v1/booking-conflicts/${before!.id}/retry`)
      await until(
        () => runSql(world, sql`select 1 from pg_locks where not granted`),
        ({ length }) => length > 0,
      )
      await revise(transaction, 5)
      return { retrying }
    })
    expectStatus(await retrying, 201)
    const [after] = await conflictsOf(owner, targetId)
    assert.deepEqual([after!.id, after!.status], [before!.id, 'open'])
    assert.match(after!.message, /2031-07-05/)
    assert.equal((await openAlerts(owner, targetId)).length, 1)
  })
})
