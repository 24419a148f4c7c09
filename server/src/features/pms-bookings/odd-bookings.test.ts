import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { openOwner } from '#features/provisioning/provision.ts'
import { channexWorld, openProperty, type Property } from '../../../test/channex-live.ts'
import { bookingsOf, conflictsOf, feedOf, poll, roomLine, sell } from '../../../test/pms-bookings.ts'

/** Bookings that nobody can read, or save. */

const street = channexWorld()
const lines = (house: Property) => bookingsOf(street.owner, house.rooms[0]!.unitId)

suite('odd bookings: error', () => {
  test('whatever a revision leaves out, or has wrong, is kept and acknowledged', async () => {
    const house = await openProperty(street, { quantity: 30 })
    const { roomTypeId, plans } = house.rooms[0]!
    const line = roomLine(house, { roomTypeId, planId: plans[0]!.externalId, from: 10, to: 12 })
    const odd: [object, string | null][] = [
      [{ rooms: null }, 'incomplete'],
      [{ rooms: [] }, 'incomplete'],
      [{ rooms: [{ ...line, room_type_id: null }] }, 'unlinked_room'],
      [{ rooms: [{ ...line, room_type_id: 'nobody' }] }, 'unlinked_room'],
      [{ rooms: [{ ...line, rate_plan_id: null }] }, 'unlinked_plan'],
      [{ rooms: [{ ...line, checkin_date: '2030-02-31' }] }, 'incomplete'],
      [{ rooms: [{ ...line, checkin_date: null }] }, 'incomplete'],
      [{ rooms: [{ ...line, checkout_date: house.day(10) }] }, 'impossible_stay'],
      [{ rooms: [{ ...line, checkout_date: house.day(5) }] }, 'impossible_stay'],
      [{ rooms: [{ ...line, checkout_date: '2190-01-01' }] }, 'impossible_stay'],
      [{ customer: null, currency: null, amount: null }, null],
      [{ customer: { name: 'A\0\ud800' }, currency: 'ZZZ', amount: 'lots' }, null],
      [{ rooms: [{ ...line, occupancy: 'two', amount: {}, days: { x: 'y' } }] }, null],
    ]
    for (const [says] of odd) await sell(street, house, says as Record<string, unknown>)
    await poll(street.world)
    assert.deepEqual(await feedOf(street, house), [])
    const reasons = (await conflictsOf(street.owner, house.targetId)).map(({ reason }) => reason)
    const wanted = odd.map(([, reason]) => reason).filter((reason) => reason !== null)
    assert.deepEqual(reasons.toSorted(), wanted.toSorted())
    assert.equal((await lines(house)).length, 4)
  })

  test('one that cannot be saved stops no other, stays in the feed, and comes when it can', async () => {
    const house = await openProperty(street, { quantity: 9 })
    const database = openOwner(street.world.databaseUrl)
    const run = (statement: ReturnType<typeof sql>) => database.pipelined({ orgId: null }, [statement])
    await run(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not today' using errcode = '22000'; end $$`)
    await run(sql`create trigger refuse before insert on bookings for each row
      when (new.guest_name like 'Eve%') execute function refuse()`)
    await sell(street, house)
    await sell(street, house, { customer: { name: 'Eve' } })
    await sell(street, house)
    await poll(street.world)
    assert.equal((await feedOf(street, house)).length, 1)
    assert.equal((await lines(house)).length, 2)
    const [conflict] = await conflictsOf(street.owner, house.targetId)
    assert.equal(conflict!.reason, 'not_processed')
    assert.doesNotMatch(conflict!.message, /not today/)
    await run(sql`drop trigger refuse on bookings`)
    await poll(street.world)
    assert.equal((await feedOf(street, house)).length, 0)
    assert.equal((await lines(house)).length, 3)
    assert.equal((await conflictsOf(street.owner, house.targetId))[0]!.status, 'resolved')
    await database.close()
  })
})
