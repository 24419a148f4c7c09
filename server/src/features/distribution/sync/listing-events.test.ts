import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import pg from 'pg'
import { atomically } from '#db/scope.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { notifyChanged } from './listing-events.ts'

/** How often the streams are notified of what a round changes, and of which listings. */

const { world, owner } = shareWorld({ workers: true, env: { SYNC_VERIFY_AFTER_MS: '600000' } })

/** Adds units of the same space at the same PMS; returns all listings. */
async function property(units: number): Promise<{ spaceId: string; listingIds: string[] }> {
  // Without a debounce all of them are due at once, however long ago each was pushed.
  const { spaceId, targetId, listingId } = await addLinkedUnit(owner, { debounce_ms: 0 })
  const listingIds = [listingId]
  for (let n = 1; n < units; n++) {
    const unit = { space_id: spaceId, name: `Room ${n}`, base_price_cents: 10_000 }
    const made = await owner.post('/api/v1/units', unit)
    const listing = { channel_target_id: targetId, external_id: `${listingId}-${n}` }
    const linked = await owner.post('/api/v1/channel-listings', { ...listing, unit_id: made.body.unit.id })
    assert.equal(linked.status, 201, linked.text)
    listingIds.push(linked.body.channel_listing.id)
  }
  return { spaceId, listingIds: listingIds.sort() }
}

/** What is notified on the channel of the streams while this runs, the ids sorted. */
async function notified(
  work: (received: readonly Notified[]) => Promise<unknown>,
): Promise<readonly Notified[]> {
  const client = new pg.Client(world.databaseUrl)
  await client.connect()
  const received: Notified[] = []
  client.on('notification', ({ payload = '' }) => {
    const [orgId = '', ...ids] = payload.split(' ')
    received.push({ orgId, ids: ids.sort() })
  })
  try {
    await client.query('listen sync')
    await work(received)
    return received
  } finally {
    await client.end()
  }
}
interface Notified {
  orgId: string
  ids: string[]
}

const idsIn = (received: readonly Notified[]) => received.flatMap(({ ids }) => ids)

suite('notifications of sync states', () => {
  test('a change of four listings, their claims and their results cause one notification each at most', async () => {
    const { spaceId, listingIds } = await property(4)
    await world.settled()
    const received = await notified(async (received) => {
      assert.equal((await owner.patch(`/api/v1/spaces/${spaceId}`, { city: 'Porto' })).status, 200)
      // One of the API and one of the worker: a result within ten milliseconds of its claim is notified with it.
      await until(
        async () => received.length,
        (count) => count >= 2,
      )
      await world.settled()
    })
    assert.ok(received.length <= 3, `${received.length} notifications`)
    for (const notification of received)
      assert.deepEqual(notification, { orgId: world.home.id, ids: listingIds })
  })

  test('more listings than one notification can contain cause several', async () => {
    const ids = Array.from({ length: 450 }, () => randomUUID()).sort()
    const received = await notified(async (received) => {
      const { database } = world.resources
      const actor = { type: 'system', id: 'test', name: 'Test' } as const
      const scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
      await atomically(scope, async (transaction) => notifyChanged(transaction, ids))
      await until(
        async () => idsIn(received).length,
        (count) => count >= ids.length,
      )
    })
    assert.deepEqual(idsIn(received).sort(), ids)
    assert.deepEqual(
      received.map(({ ids }) => ids.length),
      [200, 200, 50],
    )
  })
})
