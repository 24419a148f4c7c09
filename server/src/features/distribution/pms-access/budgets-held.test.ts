import assert from 'node:assert/strict'
import { afterEach, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { enqueue } from '#queue/job.ts'
import { expectStatus } from '#test/expect.ts'
import { addListing, addTarget, addUnit } from '#test/records.ts'
import {
  addLinkedUnit,
  addPmsFault,
  clearPmsFaults,
  heldReply,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { CheckTarget } from '#features/distribution/sync/schedule/request-sync.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})
afterEach(() => clearPmsFaults(world))

const run = (statement: Statement) => database.pipelined({ orgId: null }, [statement])
const hourly = (requests: number) => ({ rate_limit: { requests, window_seconds: 3_600 } })

const targetOf = async (id: string) =>
  expectStatus(await owner.get(`/api/v1/channel-targets/${id}`), 200).channel_target
const alertsOf = async (targetId: string) =>
  expectStatus(await owner.get(`/api/v1/alerts?channel_target_id=${targetId}&status=open`), 200).alerts

async function check(targetId: string) {
  const scope: Scope = {
    orgId: world.home.id,
    accountId: world.home.accountId,
    actor: { type: 'system', id: 'test', name: 'Test' },
    traceparent: null,
    database: world.resources.database,
  }
  await atomically(scope, (transaction) => enqueue(transaction, CheckTarget, [{ payload: { targetId } }]))
  await world.settled()
}

suite('exhausted call budget', () => {
  test('keeps the target out of error until a health check is possible', async () => {
    const { id } = await addTarget(owner, { config: hourly(1) })
    await world.settled()
    assert.equal((await targetOf(id)).status, 'active')
    await check(id)
    assert.deepEqual([(await targetOf(id)).status, (await targetOf(id)).error_message], ['active', null])
    assert.deepEqual(await alertsOf(id), [])
  })

  test('a 429 for a health check does not put the target in error', async () => {
    const { id } = await addTarget(owner)
    await world.settled()
    await addPmsFault(
      world,
      { spaceId: '', unitId: '', listingId: '', targetId: id, externalId: '*' },
      { external_id: undefined, mode: 'refuse', status: 429, retry_after: 5 },
    )
    await check(id)
    assert.equal((await targetOf(id)).status, 'active')
    assert.deepEqual(await alertsOf(id), [])
  })

  test('renaming the target does not reset the budget', async () => {
    const config = hourly(5)
    const { targetId } = await addLinkedUnit(owner, config)
    await world.settled()
    const left = async () =>
      expectStatus(await owner.get(`/api/v1/sync/targets/${targetId}`), 200).sync_target.budgets[0].remaining
    const before = await left()
    assert.ok(before < 5)
    const path = `/api/v1/channel-targets/${targetId}`
    expectStatus(await owner.put(path, { channel_type: 'pms', name: 'Renamed', config }), 200)
    assert.ok((await left()) <= before)
    const elsewhere = { ...config, property_ref: 'elsewhere' }
    expectStatus(await owner.put(path, { channel_type: 'pms', name: 'Moved', config: elsewhere }), 200)
    await world.settled()
    assert.ok((await left()) > 0)
  })

  test('repeated triggers never make the attempts negative', async () => {
    const { id: unitId, space_id: spaceId } = await addUnit(owner)
    const { id: targetId } = await addTarget(owner, { config: hourly(4) })
    await world.settled()
    const made = { unitId, spaceId, targetId, externalId: 'U-1' }
    await addPmsFault(world, { ...made, listingId: '' }, heldReply)
    const { id: listingId } = await addListing(owner, {
      unit_id: unitId,
      channel_target_id: targetId,
      external_id: 'U-1',
    })
    const linked = { ...made, listingId }
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'in_progress',
    )
    await owner.post('/api/v1/sync/trigger', { channel_listing_id: listingId })
    await clearPmsFaults(world)
    const held = await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'pending',
    )
    assert.equal(held.attempts, 0)
  })

  test('targets of one Hostaway account share a budget, whether or not they name its address', async () => {
    const account = { provider: 'hostaway', credentials: { account_id: '4711', api_key: 'key' } }
    const ids: string[] = []
    for (const address of [{}, { base_url: 'https://api.hostaway.com/' }])
      ids.push((await addTarget(owner, { config: { ...account, ...address } })).id)
    const [keys] = await run(
      sql`select distinct budget_key from channel_targets where id = any(${ids}::uuid[])`,
    )
    assert.equal(keys.length, 1)
  })
})

suite('open circuit', () => {
  test('stays reported after a successful health check', async () => {
    const linked = await addLinkedUnit(owner, { timeout_ms: 500 })
    const { targetId } = linked
    await world.settled()
    await addPmsFault(world, linked, { external_id: undefined, mode: 'down' })
    await run(sql`update target_syncs set failures = 5, opened_at = now(), probe_at = now()
      where channel_target_id = ${targetId}`)
    await setPrice(owner, linked, 12_300)
    await until(
      () => targetOf(targetId),
      ({ status }) => status === 'error',
    )
    assert.deepEqual(
      (await alertsOf(targetId)).map(({ kind }: { kind: string }) => kind),
      ['target.error'],
    )
  })
})
