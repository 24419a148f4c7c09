import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { reconcileTargets, requeueOverdueTargets } from '#features/distribution/sync/engine/schedule.ts'
import { expectStatus } from '#test/expect.ts'
import { addListing, addTarget, addUnit } from '#test/records.ts'
import {
  atPms,
  clearPmsFaults,
  addPmsFault,
  heldReply,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})
afterEach(() => clearPmsFaults(world))

const run = (statement: Statement) => database.pipelined({ orgId: null }, [statement])

async function delivered(space: object = {}): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner, {}, space)
  await world.settled()
  return linked
}

/** A user closes these nights at the PMS. */
async function close({ targetId, externalId }: LinkedUnit, nights: { date_from: string; date_to: string }) {
  const answer = await fetch(`${world.pms.url}/_control/values`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      property: targetId,
      rooms: [{ external_id: externalId, ...nights, available: 0 }],
    }),
  })
  assert.ok(answer.ok, await answer.text())
}

const night = { date_from: inDays(95), date_to: inDays(96) }
const drift = (linked: LinkedUnit) => close(linked, night)

async function nightFalls({ targetId }: LinkedUnit) {
  await run(sql`update target_syncs set reconcile_at = now() - interval '1 minute'
    where channel_target_id = ${targetId}`)
  // The scheduler of the workers may be faster.
  await reconcileTargets(world.resources)
  assert.deepEqual(
    await run(sql`select from target_syncs where channel_target_id = ${targetId} and reconcile_at <= now()`),
    [[]],
  )
}

const proofOf = async ({ listingId }: LinkedUnit) =>
  (await owner.get(`/api/v1/sync/proof/${listingId}?from=${inDays(93)}&to=${inDays(102)}`)).body.proof

const wasRepaired = async (linked: LinkedUnit) => {
  await until(
    () => historyOf(owner, linked),
    (seen) => seen.some(({ action }) => action === 'sync.repaired'),
  )
  await world.settled()
  assert.equal((await proofOf(linked)).in_sync, true)
}

/** Another job holds the target, so that the request waits. */
const occupy = ({ targetId }: LinkedUnit) =>
  run(sql`update target_syncs set claimed_by = ${randomUUID()}, claimed_until = now() + interval '1 hour'
    where channel_target_id = ${targetId}`)

async function release({ targetId }: LinkedUnit) {
  await run(
    sql`update target_syncs set claimed_until = now() - interval '1 minute' where channel_target_id = ${targetId}`,
  )
  await run(sql`update listing_syncs set due_at = now() - interval '1 minute', next_attempt_at = null
    where channel_target_id = ${targetId} and status = 'pending'`)
  await requeueOverdueTargets(world.resources)
}

suite('a requested read-back', () => {
  test('is made when it is requested during a push', async () => {
    const linked = await delivered()
    await addPmsFault(world, linked, heldReply)
    await setPrice(owner, linked, 21_000)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    await drift(linked)
    await nightFalls(linked)
    await clearPmsFaults(world)
    await wasRepaired(linked)
  })

  test('is made when the listing changes before it', async () => {
    const linked = await delivered()
    await drift(linked)
    await occupy(linked)
    await nightFalls(linked)
    await setPrice(owner, linked, 22_000)
    await release(linked)
    await wasRepaired(linked)
    assert.equal((await atPms(world, linked))?.['base_price_cents'], 22_000)
  })
})

suite('a night that comes into range', () => {
  const whole = async ({ listingId }: LinkedUnit) =>
    (await owner.get(`/api/v1/sync/proof/${listingId}`)).body.proof

  test('is sent by the daily read-back, and is no drift before', async () => {
    const linked = await delivered({ timezone: 'Pacific/Pago_Pago' })
    // It is at least tomorrow in that zone. The change bypasses the API, which would push every night.
    await run(sql`update spaces set timezone = 'Pacific/Kiritimati' where id = ${linked.spaceId}`)
    expectStatus(await owner.patch(`/api/v1/spaces/${linked.spaceId}`, { description: 'Tomorrow' }), 200)
    await world.settled()
    const before = await whole(linked)
    assert.deepEqual([before.in_sync, before.differences], [true, []])
    assert.ok(before.desired[0].date_to > before.read_back[0].date_to)
    await nightFalls(linked)
    await world.settled()
    const after = await whole(linked)
    assert.equal(after.read_back[0].date_to, before.desired[0].date_to)
    assert.equal(after.in_sync, true)
    const looks = (await historyOf(owner, linked)).filter(({ trigger }) => trigger === 'schedule')
    assert.ok(looks.length > 0)
    assert.ok(!looks.some(({ action }) => action === 'sync.repaired'))
  })

  test('is a difference when it was due earlier, or differs from what was sent', async () => {
    const linked = await delivered()
    const last = (await whole(linked)).desired[0].date_to
    await close(linked, { date_from: last, date_to: last })
    assert.equal((await whole(linked)).differences[0].date_from, last)
    await run(sql`delete from accepted_months where channel_listing_id = ${linked.listingId}
      and month > now() + interval '15 months'`)
    assert.deepEqual((await whole(linked)).differences, [])
    await close(linked, { date_from: night.date_from, date_to: last })
    const { date_from, date_to } = (await whole(linked)).differences[0]
    assert.equal(date_from, night.date_from)
    assert.equal(Date.parse(last) - Date.parse(date_to), 2 * 86_400_000)
  })
})

suite('the result of a read-back is stored', () => {
  test('also for content whose response was lost', async () => {
    const linked = await delivered()
    const rename = async (name: string) =>
      assert.equal((await owner.patch(`/api/v1/units/${linked.unitId}`, { name })).status, 200)
    await rename('Before')
    await world.settled()
    await addPmsFault(world, linked, { mode: 'lose_reply', times: 1 })
    await rename('After')
    await until(
      () => statusOf(owner, linked),
      ({ next_attempt_at }) => next_attempt_at !== null,
    )
    await occupy(linked)
    await drift(linked)
    await nightFalls(linked)
    await release(linked)
    await wasRepaired(linked)
    assert.equal((await atPms(world, linked))?.['name'], 'After')
    await rename('Before')
    await world.settled()
    assert.equal((await atPms(world, linked))?.['name'], 'Before')
  })

  test('a unit that cannot be read does not block the others', async () => {
    const linked = await delivered()
    const { id: unit_id } = await addUnit(owner, { space_id: linked.spaceId })
    const listing = await addListing(owner, {
      unit_id,
      channel_target_id: linked.targetId,
      external_id: 'U-2',
    })
    await world.settled()
    // Refused for good, as by a rule of its own.
    await addPmsFault(world, { ...linked, externalId: 'U-2' }, { mode: 'refuse', status: 422 })
    await drift(linked)
    await nightFalls(linked)
    await wasRepaired(linked)
    assert.equal((await statusOf(owner, { ...linked, listingId: listing.id })).status, 'failed')
  })
})
void addTarget
