import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Connection } from '#db/connect.ts'
import type { Reply } from '#test/caller.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { addLinkedUnit, statusOf, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

/** Sends a request while another transaction has moved a record and is not committed. */
async function askDuring(
  move: (connection: Connection) => Promise<unknown>,
  ask: () => Promise<Reply>,
): Promise<Reply> {
  let asking!: Promise<Reply>
  await database.transaction({ orgId: null }, async (holder) => {
    await move(holder)
    asking = ask()
    await until(
      () => holder.run(sql`select 1 from pg_locks where not granted`),
      (waiting) => waiting.length > 0,
    )
  })
  return await asking
}

suite('a change concurrent with a move', () => {
  test('affects the unit in its new space', async () => {
    const [here, there] = [await addLinkedUnit(owner), await addLinkedUnit(owner)]
    const reply = await askDuring(
      (holder) => holder.run(sql`update units set space_id = ${there.spaceId} where id = ${here.unitId}`),
      () => owner.patch(`/api/v1/units/${here.unitId}`, { base_price_cents: 4_100 }),
    )
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.unit.space_id, there.spaceId)
  })

  for (const [what, ask] of [
    ['a change of the space', ({ spaceId }) => owner.patch(`/api/v1/spaces/${spaceId}`, { city: 'Faro' })],
    ['a trigger', ({ listingId }) => owner.post('/api/v1/sync/trigger', { channel_listing_id: listingId })],
  ] as const satisfies [string, (linked: Awaited<ReturnType<typeof addLinkedUnit>>) => Promise<Reply>][])
    test(`${what} affects a listing that moves to another target`, async () => {
      const [here, there] = [await addLinkedUnit(owner), await addLinkedUnit(owner)]
      const before = (await statusOf(owner, here)).pending_changes
      const reply = await askDuring(
        async (holder) => {
          await holder.run(
            sql`update channel_listings set channel_target_id = ${there.targetId} where id = ${here.listingId}`,
          )
          await holder.run(
            sql`update listing_syncs set channel_target_id = ${there.targetId} where channel_listing_id = ${here.listingId}`,
          )
        },
        () => ask(here),
      )
      assert.ok(reply.status < 300, reply.text)
      assert.equal((await statusOf(owner, here)).pending_changes, before + 1)
    })
})
