import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { addLinkedUnit } from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { freezeOrganization } from './freeze-organization.ts'

const { world, owner } = shareWorld()

suite('the rows that periodic tasks find', () => {
  test('are not those of a frozen organization, which would take the places of others', async () => {
    const { unitId, targetId, listingId } = await addLinkedUnit(owner)
    const { id } = await addBooking(owner, { unitId, checkIn: inDays(10), checkOut: inDays(12) })
    const held = await addBooking(owner, { unitId, checkIn: inDays(20), checkOut: inDays(22) })
    const changes = [
      sql`update bookings set status = 'pending', hold_expires_at = now() - interval '1 hour' where id = ${held.id}`,
      sql`insert into alerts (org_id, unit_id, kind, message, hint, last_at)
        values (${world.home.id}, ${unitId}, 'refund.failed', 'A refund failed.', 'Pay it.', now() - interval '40 days')`,
      sql`update bookings set nights = daterange(current_date - 43, current_date - 41) where id = ${id}`,
      sql`update target_syncs set reconcile_at = now() - interval '1 hour'
        where channel_target_id = ${targetId}`,
      sql`update channel_targets set last_health_check_at = null where id = ${targetId}`,
      sql`update listing_syncs set behind_since = now() - interval '1 day',
        due_at = now() - interval '1 hour', verify_at = now() - interval '1 hour'
        where channel_listing_id = ${listingId}`,
    ]
    for (const change of changes) await runSql(world, change)
    const calls = [
      ...['targets_to_reconcile()', "targets_to_check('5 minutes')", "overdue_targets('15 seconds')"],
      ...['listings_gone_stale()', 'listings_to_verify()', 'guests_to_forget(39, 500)'],
      ...["holds_to_expire('15 seconds')", "refund_alerts_to_close('30 days')"],
    ]
    const finding = async () => {
      const found: string[] = []
      for (const call of calls) {
        const due = sql`select 1 from ${sql.raw(call)} due where due.org_id = ${world.home.id}`
        if ((await runSql(world, due)).length > 0) found.push(call)
      }
      return found
    }
    assert.deepEqual(await finding(), calls)
    await freezeOrganization(world.config, world.home.id)
    assert.deepEqual(await finding(), [])
  })
})
