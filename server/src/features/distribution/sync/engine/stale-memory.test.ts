import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Transaction } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { addPlan, addTarget } from '#test/records.ts'
import {
  atPms,
  clearPmsFaults,
  addPmsFault,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { shareWorld } from '#test/share-world.ts'
import { claimDue } from '#features/distribution/sync/state-queries.ts'
import { saveCreatedIds } from './queries.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})
afterEach(() => clearPmsFaults(world))

const run = (statement: Statement) => database.pipelined({ orgId: null }, [statement])

suite('stored values of another target are not used', () => {
  test('a plan that becomes the default again is sent to the room again', async () => {
    const linked = await addLinkedUnit(owner)
    const { unitId, listingId } = linked
    const other = await addPlan(owner, { unit_id: unitId, name: 'Other' })
    const plans = expectStatus(await owner.get(`/api/v1/rate-plans?unit_id=${unitId}`), 200).rate_plans
    const first = plans.find(({ is_default }: { is_default: boolean }) => is_default)
    const night = { date_from: inDays(95), date_to: inDays(95) }
    const values = [
      { unit_id: unitId, rate_plan_id: first.id, ...night, price_cents: 11_100 },
      { unit_id: unitId, rate_plan_id: other.id, ...night, price_cents: 22_200 },
    ]
    expectStatus(await owner.post('/api/v1/calendar', { values }), 201)
    for (const { id } of [other, first, other]) {
      expectStatus(await owner.patch(`/api/v1/rate-plans/${id}`, { is_default: true }), 200)
      await world.settled()
      const path = `/api/v1/sync/proof/${listingId}?from=${inDays(93)}&to=${inDays(97)}`
      assert.deepEqual(expectStatus(await owner.get(path), 200).proof.differences, [])
    }
  })

  test('a target whose URL changed while it was inactive gets a full push', async () => {
    const { targetId, listingId } = await addLinkedUnit(owner)
    await world.settled()
    const path = `/api/v1/channel-targets/${targetId}`
    const target = { channel_type: 'pms', name: 'Moved', config: { property_ref: 'elsewhere' } }
    expectStatus(await owner.put(path, { ...target, status: 'inactive' }), 200)
    const preview = expectStatus(await owner.get(`/api/v1/sync/preview/${listingId}`), 200)
    assert.equal(preview.sync_preview?.mode ?? preview.preview?.mode, 'full')
    assert.equal((await owner.delete(`${path}/pause`)).status, 204)
    await world.settled()
    const { proof } = expectStatus(await owner.get(`/api/v1/sync/proof/${listingId}`), 200)
    assert.equal(proof.in_sync, true)
  })

  test('a listing that waits for a retry at one target is pushed at once to another', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await addPmsFault(world, linked, { mode: 'refuse', status: 503, retry_after: 600, times: 1 })
    await setPrice(owner, linked, 12_300)
    await until(
      () => statusOf(owner, linked),
      ({ next_attempt_at }) => next_attempt_at !== null,
    )
    const { id: elsewhere } = await addTarget(owner)
    const { unitId, listingId, externalId } = linked
    const moved = { unit_id: unitId, channel_target_id: elsewhere, external_id: externalId }
    expectStatus(await owner.put(`/api/v1/channel-listings/${listingId}`, moved), 200)
    await world.settled()
    assert.equal((await statusOf(owner, linked)).status, 'completed')
    assert.equal((await atPms(world, { targetId: elsewhere, externalId }))?.['base_price_cents'], 12_300)
  })

  test('an id created at one target is not saved for a listing that has moved', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const { unitId, targetId, listingId } = linked
    const { id: elsewhere } = await addTarget(owner, { status: 'inactive' })
    // As if the unit were still to be made.
    await run(sql`update channel_listings set external_id = null where id = ${listingId}`)
    await run(
      sql`update listing_syncs set status = 'pending', due_at = now() where channel_listing_id = ${listingId}`,
    )
    const within = <T>(work: (transaction: Transaction) => Promise<T>) =>
      world.resources.database.transaction({ orgId: world.home.id }, (connection) =>
        work({ connection, database: world.resources.database, orgId: world.home.id } as Transaction),
      )
    const [claim] = await within((transaction) => claimDue(transaction, targetId, randomUUID(), 60_000, 10))
    const path = `/api/v1/channel-listings/${listingId}`
    const moved = { unit_id: unitId, channel_target_id: elsewhere, create: true }
    expectStatus(await owner.put(path, moved), 200)
    const made = { external_id: 'made-at-the-old-place', rate_plans: [] }
    const kept = await within((transaction) =>
      saveCreatedIds(transaction, { id: listingId, claim: claim!.claim }, made),
    )
    assert.deepEqual(kept, [])
    assert.equal(expectStatus(await owner.get(path), 200).channel_listing.external_id, null)
  })
})
