import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Scope } from '#db/scope.ts'
import { planNotifications } from '#features/messaging/notifications/plan-notifications.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus, ids } from '#test/expect.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'
import { copyRecords } from './copy-records.ts'
import { movedTables } from './moved-tables.ts'

const { world: source, owner } = shareWorld()
const { world: target } = shareWorld()

const cellOf = ({ config, resources: { storage } }: World) => ({ config, storage })
/** Plans the notifications of the latest event of a booking, as a worker of this cell does. */
const planLatest = async ({ config, resources: { database } }: World, caller: TestCaller, id: string) => {
  const scope: Scope = {
    ...{ orgId: source.home.id, accountId: null, database, traceparent: null },
    actor: { type: 'system', id: 'test', name: 'Test' },
  }
  const [event] = await asOwner(config, (connection) =>
    connection.run(sql<{ id: string }>`
      select id from events where subject_id = ${id} order by transaction_id desc, position desc limit 1`),
  )
  await planNotifications(scope, false, event!.id)
  return expectStatus(await caller.get(`/api/v1/notifications?event_id=${event!.id}`), 200).notifications
}

test('a booking that was notified of before a move is notified of after it', async () => {
  // The cell has recorded more events than the new one.
  await asOwner(source.config, (connection) => connection.run(sql`select setval('event_positions', 1000000)`))
  const guestEmail = 'ada@example.com'
  const { id } = await addBooking(owner, { unitId: (await addUnit(owner)).id, guestEmail })
  const before = await planLatest(source, owner, id)
  assert.ok(before.length > 0)
  await copyRecords(
    { orgId: source.home.id, source: cellOf(source), target: cellOf(target), progress: () => {} },
    movedTables,
  )
  const there = target.caller(
    await target.issuer.sign({
      ...{ sub: 'ana', org_id: source.home.id, account_id: source.home.accountId, role: 'owner' },
    }),
  )
  const moved = expectStatus(await there.get('/api/v1/notifications'), 200).notifications
  assert.deepEqual(ids(moved), ids(before))
  expectStatus(await there.patch(`/api/v1/bookings/${id}`, { status: 'cancelled' }), 200)
  const after = await planLatest(target, there, id)
  const toGuest = after.filter(({ to }: { to: string }) => to === guestEmail)
  assert.deepEqual(
    toGuest.map(({ kind }: { kind: string }) => kind),
    ['booking.cancelled'],
  )
})
