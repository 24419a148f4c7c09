import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { invalidateAvailability } from '#features/distribution/sync/schedule/invalidate-availability.ts'
import { reconcileTargets, raiseStaleAlerts, reconcileSample } from './schedule.ts'
import {
  addLinkedUnit,
  addPmsFault,
  clearPmsFaults,
  heldReply,
  historyOf,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true, env: { SYNC_SAMPLE_SHARE: '1' } })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const run = async <Row>(statement: Statement<Row>) =>
  (await database.pipelined({ orgId: null }, [statement]))[0]

/** Changes values at the PMS, as a user there would. */
const meddle = async (linked: LinkedUnit, body: object) => {
  const answer = await fetch(`${world.pms.url}/_control/values`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ property: linked.targetId, ...body }),
  })
  assert.ok(answer.ok, await answer.text())
}

const night = { date_from: inDays(95), date_to: inDays(96) }
const proofOf = async ({ listingId }: LinkedUnit) =>
  (await owner.get(`/api/v1/sync/proof/${listingId}?from=${inDays(93)}&to=${inDays(102)}`)).body.proof

const actionsOf = async (linked: LinkedUnit) => (await historyOf(owner, linked)).map(({ action }) => action)
const settles = (linked: LinkedUnit, action: string) =>
  until(
    () => actionsOf(linked),
    (actions) => actions.includes(action),
  )

suite('scheduled read-backs', () => {
  test('everything is read back once a day, and changes at the PMS are repaired', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    assert.equal((await proofOf(linked)).in_sync, true)
    await meddle(linked, { rooms: [{ external_id: linked.externalId, ...night, available: 0 }] })
    const drifted = await proofOf(linked)
    assert.equal(drifted.in_sync, false)
    assert.deepEqual(drifted.differences, [
      { field: 'available', rate_plan_id: null, ...night, desired: 1, read_back: 0 },
    ])
    assert.equal((await statusOf(owner, linked)).in_sync, true)

    await run(
      sql`update target_syncs set reconcile_at = now() - interval '3 days' where channel_target_id = ${linked.targetId}`,
    )
    await reconcileTargets(world.resources)
    assert.equal(await reconcileTargets(world.resources), 0, 'not twice a day')
    await settles(linked, 'sync.repaired')
    await world.settled()
    assert.equal((await proofOf(linked)).in_sync, true)
    const [next] = await run(sql<{
      later: boolean
    }>`select reconcile_at > now() and reconcile_at < now() + interval '1 day' as later
      from target_syncs where channel_target_id = ${linked.targetId}`)
    assert.equal(next?.later, true)
    const sent = (await (await fetch(`${world.pms.url}/_control/calls`)).json()) as {
      calls: { method: string; path: string; property: string; body: { rooms: object[]; rates: object[] } }[]
    }
    const repair = sent.calls
      .filter(({ method, property }) => method === 'POST' && property === linked.targetId)
      .at(-1)
    assert.deepEqual(repair?.body, {
      rooms: [{ external_id: linked.externalId, ...night, available: 1 }],
      rates: [],
    })
  })

  test('the same drift is repaired again when it returns', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    for (const times of [1, 2]) {
      await meddle(linked, { rooms: [{ external_id: linked.externalId, ...night, available: 0 }] })
      await run(
        sql`update target_syncs set reconcile_at = now() - interval '1 minute' where channel_target_id = ${linked.targetId}`,
      )
      await reconcileTargets(world.resources)
      await until(
        () => actionsOf(linked),
        (actions) => actions.filter((action) => action === 'sync.repaired').length === times,
      )
      await world.settled()
      assert.equal((await proofOf(linked)).in_sync, true, `after ${times}`)
    }
  })

  test('unknown values are learned by the daily read-back', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await run(sql`update accepted_months set nights = jsonb_set(nights, '{rooms}', (select jsonb_agg(null::int) from generate_series(1, 31)))
      where channel_listing_id = ${linked.listingId} and month = (select max(month) from accepted_months where channel_listing_id = ${linked.listingId})`)
    await run(
      sql`update target_syncs set reconcile_at = now() - interval '1 minute' where channel_target_id = ${linked.targetId}`,
    )
    await reconcileTargets(world.resources)
    await settles(linked, 'sync.verified')
  })

  test('a sample of pushes is read back later', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const [planned] = await run(sql<{
      soon: boolean
    }>`select verify_at between now() and now() + interval '31 seconds' as soon
      from listing_syncs where channel_listing_id = ${linked.listingId}`)
    assert.equal(planned?.soon, true)
    await run(
      sql`update listing_syncs set verify_at = now() - interval '1 second' where channel_listing_id = ${linked.listingId}`,
    )
    await reconcileSample(world.resources)
    await settles(linked, 'sync.verified')
    await world.settled()
    const [left] = await run(
      sql<{
        verify_at: null
      }>`select verify_at from listing_syncs where channel_listing_id = ${linked.listingId}`,
    )
    assert.equal(left?.verify_at, null, 'a look is not looked at again')
  })

  test('a listing that is behind for longer than its target allows is stale until it is up to date', async () => {
    const linked = await addLinkedUnit(owner, { stale_after_seconds: 60 })
    await world.settled()
    await run(
      sql`update listing_syncs set behind_since = now() - interval '30 seconds' where channel_listing_id = ${linked.listingId}`,
    )
    assert.equal(await raiseStaleAlerts(world.resources), 0)
    await run(
      sql`update listing_syncs set behind_since = now() - interval '61 seconds' where channel_listing_id = ${linked.listingId}`,
    )
    await raiseStaleAlerts(world.resources)
    assert.equal(((await statusOf(owner, linked)) as { stale?: boolean }).stale, true)
    const alerts = async () =>
      (await owner.get(`/api/v1/alerts?channel_listing_id=${linked.listingId}&status=open`)).body.alerts
    assert.equal((await alerts())[0].kind, 'listing.stale')
    await owner.patch(`/api/v1/units/${linked.unitId}`, { base_price_cents: 4_321 })
    await world.settled()
    assert.equal(((await statusOf(owner, linked)) as { stale?: boolean }).stale, false)
    assert.deepEqual(await alerts(), [])
  })
})

suite('nights that the PMS has counted by itself', () => {
  const other = { date_from: inDays(98), date_to: inDays(98) }

  test('during a push: they are sent after it, and no night that may have a new booking', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 11_000)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    const { externalId: external_id } = linked
    await meddle(linked, {
      rooms: [
        { external_id, ...night, available: 5 },
        { external_id, ...other, available: 0 },
      ],
    })
    const { targetId, unitId } = linked
    await atomically(systemScope(world, world.home), (transaction) =>
      invalidateAvailability(transaction, { targetId, unitId, from: night.date_from, to: night.date_to }),
    )
    await clearPmsFaults(world)
    await until(
      () => statusOf(owner, linked),
      ({ pending_changes }) => pending_changes === 0,
    )
    assert.deepEqual((await proofOf(linked)).differences, [
      { field: 'available', rate_plan_id: null, ...other, desired: 1, read_back: 0 },
    ])
  })
})
