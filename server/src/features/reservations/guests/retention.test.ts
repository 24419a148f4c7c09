import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { anonymizePastGuests } from './jobs.ts'
import { deleteExpired } from '#features/operations/retention/delete-expired.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { feedIsWhole } from '#test/events.ts'
import { inDays } from '#test/local-days.ts'
import { expectStatus } from '#test/expect.ts'
import { addBooking, addNotification, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { erasedName } from './guest.ts'

const { world, owner } = shareWorld()

const usualDays = 365

async function asOwner(...statements: ReturnType<typeof sql>[]): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: null }, statements)
  await database.close()
}

/** A stay that ended so many days ago. */
async function ended(caller: TestCaller, daysAgo: number): Promise<string> {
  const { id } = await addBooking(caller, {
    ...{ unitId: (await addUnit(caller)).id, guestName: `Left ${daysAgo}`, guestEmail: 'left@guest.example' },
    ...{ checkIn: inDays(10), checkOut: inDays(12), notes: 'Allergic to feathers' },
  })
  await asOwner(sql`update bookings set nights = daterange(current_date - ${daysAgo + 2}::int, current_date - ${daysAgo}::int)
    where id = ${id}`)
  return id
}
const bookingOf = async (caller: TestCaller, id: string) =>
  expectStatus(await caller.get(`/api/v1/bookings/${id}`), 200).booking

suite('retention', () => {
  test('erases a guest after the retention, and not a day earlier', async () => {
    const [past, recent] = [await ended(owner, usualDays + 1), await ended(owner, usualDays)]
    const before = await bookingOf(owner, past)
    assert.equal(await anonymizePastGuests(world.resources, usualDays), 1)
    const after = await bookingOf(owner, past)
    const gone = { guestName: erasedName, guestEmail: null, guestPhone: null, notes: null }
    assert.deepEqual(after, { ...before, ...gone, updatedAt: after.updatedAt })
    assert.equal((await bookingOf(owner, recent)).guestName, `Left ${usualDays}`)
    assert.equal(await anonymizePastGuests(world.resources, usualDays), 0, 'once')
    const { audit } = expectStatus(await owner.get('/api/v1/sync/audit?action=booking.guest_expired'), 200)
    assert.deepEqual([audit.length, audit[0].actor.type], [1, 'system'])
    await feedIsWhole(world)
    const { events } = expectStatus(await owner.get('/api/v1/events?types=booking.updated'), 200)
    assert.deepEqual(events, [], 'no event is sent: receivers have their own retention')
  })

  test('uses the retention of each organization', async () => {
    const elsewhere = await world.away.as('owner')
    const [ours, theirs] = [await ended(owner, 40), await ended(elsewhere, 40)]
    const say = (days: string) =>
      asOwner(sql`update organizations set settings = jsonb_set(settings, '{retention}', ${days}::jsonb)
        where id = ${world.home.id}`)
    for (const nonsense of ['{"guest_days": 0}', '{"guest_days": -3}', '{"guest_days": "soon"}', '[]']) {
      await say(nonsense)
      assert.equal(await anonymizePastGuests(world.resources, usualDays), 0, nonsense)
    }
    await say('{"guest_days": 39}')
    assert.equal(await anonymizePastGuests(world.resources, usualDays), 2, 'and the one of a year ago')
    assert.equal((await bookingOf(owner, ours)).guestName, erasedName)
    assert.equal((await bookingOf(elsewhere, theirs)).guestName, 'Left 40')
  })

  test('deletes notifications after their retention', async () => {
    const [old, young] = [await addNotification(owner), await addNotification(owner)]
    await asOwner(sql`update notifications set created_at = now() - interval '91 days' where id = ${old}`)
    const { notifications } = await deleteExpired(world.resources.database, { notificationDays: 90 })
    assert.equal(notifications, 1)
    assert.equal((await owner.get(`/api/v1/notifications/${old}`)).status, 404)
    assert.equal((await owner.get(`/api/v1/notifications/${young}`)).status, 200)
  })
})
