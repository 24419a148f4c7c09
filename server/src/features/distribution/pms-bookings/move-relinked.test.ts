import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import { expectStatus } from '#test/expect.ts'
import { addLinkedUnit, until, type LinkedUnit } from '#test/linked-units.ts'
import { applyRevision, bookingsOf, conflictsOf, openAlerts } from '#test/pms-bookings.ts'
import { addBooking, addListing, addUnit, systemScope } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { enqueueConflictRetries } from './jobs.ts'

/** Bookings of a room of the PMS that is linked to another unit. */

const { world, owner } = shareWorld({ workers: true })
const stay = { checkIn: '2031-07-01', checkOut: '2031-07-04' }
let message = 0

async function begin(): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner)
  await send(linked)
  return linked
}

async function send({ targetId, externalId }: LinkedUnit, fields: object = {}): Promise<void> {
  const id = `evt_${++message}`
  const data = {
    external_id: 'R-1',
    unit_external_id: externalId,
    check_in: stay.checkIn,
    check_out: stay.checkOut,
    revised_at: new Date(Date.UTC(2026, 0, 1, 0, message)).toISOString(),
    ...fields,
  }
  const sent = { id, type: 'booking.updated', data }
  expectStatus(await world.caller(null).post(`/webhooks/pms/${targetId}`, sent), 200)
  await world.settled()
}

const link = ({ targetId, externalId }: LinkedUnit, unitId: string) => ({
  unit_id: unitId,
  channel_target_id: targetId,
  external_id: externalId,
})
const idsOf = async (unitId: string) => (await bookingsOf(owner, unitId)).map(({ id }) => id)
const reaches = (unitId: string, count: number) =>
  until(
    () => idsOf(unitId),
    ({ length }) => length === count,
  )

const openConflictsReach = (linked: LinkedUnit, count: number) =>
  until(
    async () => {
      await enqueueConflictRetries(world.resources)
      await world.settled()
      return await conflictsOf(owner, linked.targetId, '&status=open')
    },
    ({ length }) => length === count,
  )

suite('bookings of a room that is linked to another unit', () => {
  test('move to it, and are not sold there again', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    const { id: unitId } = await addUnit(owner)
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, unitId)), 200)
    assert.deepEqual(await reaches(unitId, 1), [id])
    assert.deepEqual(await idsOf(linked.unitId), [])
    await send(linked, { guest_name: 'Ada' })
    assert.deepEqual(await idsOf(unitId), [id])
  })

  test('move to it when the room is unlinked first', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    const { id: unitId } = await addUnit(owner)
    expectStatus(await owner.delete(`/api/v1/channel-listings/${linked.listingId}`), 204)
    await addListing(owner, link(linked, unitId))
    assert.deepEqual(await reaches(unitId, 1), [id])
  })

  test('move to it when an earlier release has stored their revision', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    await runSql(
      world,
      sql`update pms_bookings set booking = null where channel_target_id = ${linked.targetId}`,
    )
    const { id: unitId } = await addUnit(owner)
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, unitId)), 200)
    assert.deepEqual(await reaches(unitId, 1), [id])
  })

  test('move to it when they come while it is linked', async () => {
    const linked = await addLinkedUnit(owner)
    const { id: unitId } = await addUnit(owner)
    const scope = systemScope(world, world.home)
    const line = { listing: linked.externalId, arrival: stay.checkIn, departure: stay.checkOut }
    await world.settled()
    let applied: Promise<unknown> | undefined
    let relinked: Promise<unknown> | undefined
    await atomically(scope, async (transaction) => {
      await lockUnits(transaction, [linked.unitId])
      applied = atomically(scope, (other) => applyRevision(other, linked.targetId, { line }))
      const waiting = () =>
        runSql(
          world,
          sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      await until(waiting, ({ length }) => length > 0)
      let isRelinked = false
      relinked = owner
        .put(`/api/v1/channel-listings/${linked.listingId}`, link(linked, unitId))
        .then((reply) => expectStatus(reply, 200))
        .finally(() => (isRelinked = true))
      await until(waiting, ({ length }) => length > 1 || isRelinked)
      if (isRelinked) await world.settled()
    })
    await Promise.all([applied, relinked])
    assert.equal((await reaches(unitId, 1)).length, 1)
  })

  test('stay where a user moved them', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    const [chosen, other] = [await addUnit(owner), await addUnit(owner)]
    expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { unitId: chosen.id }), 200)
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, other.id)), 200)
    await world.settled()
    assert.deepEqual(await idsOf(chosen.id), [id])
  })

  test('stay where a user moves them afterwards', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    const [other, chosen] = [await addUnit(owner), await addUnit(owner)]
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, other.id)), 200)
    await reaches(other.id, 1)
    expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { unitId: chosen.id }), 200)
    await send(linked, { guest_name: 'Ada' })
    assert.deepEqual(await idsOf(chosen.id), [id])
  })

  test('are tried in it when they did not fit, and leave the other unit free', async () => {
    const linked = await addLinkedUnit(owner)
    await addBooking(owner, { unitId: linked.unitId, checkIn: '2031-07-02', checkOut: '2031-07-03' })
    await send(linked)
    const { id: unitId } = await addUnit(owner)
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, unitId)), 200)
    await reaches(unitId, 1)
    await addBooking(owner, { unitId: linked.unitId, checkIn: '2031-07-01', checkOut: '2031-07-02' })
  })

  test('are tried in it when they did not fit in a unit that is deleted', async () => {
    const linked = await addLinkedUnit(owner)
    const taken = await addBooking(owner, { unitId: linked.unitId, ...stay })
    await send(linked)
    expectStatus(await owner.delete(`/api/v1/channel-listings/${linked.listingId}`), 204)
    expectStatus(await owner.patch(`/api/v1/bookings/${taken.id}`, { status: 'cancelled' }), 200)
    expectStatus(await owner.delete(`/api/v1/units/${linked.unitId}`), 204)
    const { id: unitId } = await addUnit(owner)
    await addListing(owner, link(linked, unitId))
    await reaches(unitId, 1)
  })

  test('wait while it is full, are not sold there again, and move when it is not', async () => {
    const linked = await begin()
    const [id] = await idsOf(linked.unitId)
    const full = await addUnit(owner)
    const night = { checkIn: '2031-07-02', checkOut: '2031-07-03' }
    const blocking = await addBooking(owner, { unitId: full.id, ...night })
    await runSql(world, sql`update bookings set pms_guest = null where id = ${id!}`)
    const path = `/api/v1/channel-listings/${linked.listingId}`
    expectStatus(await owner.put(path, link(linked, full.id)), 200)
    const [conflict] = await openConflictsReach(linked, 1)
    assert.deepEqual([conflict!.unit_id, conflict!.booking_id, conflict!.reason], [full.id, id, 'no_room'])
    assert.equal(conflict!.booking.guestName, 'Guest')
    assert.equal((await openAlerts(owner, linked.targetId)).length, 1)
    assert.deepEqual(await idsOf(linked.unitId), [id])
    const again = { unitId: full.id, checkIn: '2031-07-01', checkOut: '2031-07-02', guestName: 'Bob' }
    expectStatus(await owner.post('/api/v1/bookings', again), 409)

    expectStatus(await owner.patch(`/api/v1/bookings/${blocking.id}`, { status: 'cancelled' }), 200)
    await openConflictsReach(linked, 0)
    assert.deepEqual(await openAlerts(owner, linked.targetId), [])
    assert.ok((await idsOf(full.id)).includes(id!))
    expectStatus(await owner.post('/api/v1/bookings', again), 409)
  })
})
