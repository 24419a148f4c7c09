import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { addLinkedUnit, statusOf, until } from '#test/linked-units.ts'
import { addListing, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

// In this world checks of a target are 0.1 s apart.
const { world, owner } = shareWorld({ workers: true })

test('the check of a paused listing waits, without a job, until the listing is resumed', async () => {
  const paused = await addLinkedUnit(owner)
  const unit = await addUnit(owner, { space_id: paused.spaceId })
  const listing = { unit_id: unit.id, channel_target_id: paused.targetId, external_id: 'other' }
  const { id: listingId } = await addListing(owner, listing)
  const verified = (which: { listingId: string }) =>
    until(
      () => statusOf(owner, which),
      ({ in_sync }) => in_sync,
    )
  await verified(paused)
  const pause = `/api/v1/channel-listings/${paused.listingId}/pause`
  await owner.post(pause)
  const database = openOwner(world.databaseUrl)
  const query = async (statement: ReturnType<typeof sql>) =>
    (await database.pipelined({ orgId: world.home.id }, [statement]))[0]
  await query(
    sql`update listing_syncs set check_at = now() where channel_listing_id = ${paused.listingId}::uuid`,
  )
  await owner.patch(`/api/v1/units/${unit.id}`, { name: 'Other' })
  await verified({ listingId })
  const lastCheck = () =>
    query(sql`select checks_begun_at from target_syncs where channel_target_id = ${paused.targetId}::uuid`)
  const before = await lastCheck()
  await sleep(500)
  assert.deepEqual(await lastCheck(), before)
  await database.close()
  await owner.delete(pause)
  await verified(paused)
})
