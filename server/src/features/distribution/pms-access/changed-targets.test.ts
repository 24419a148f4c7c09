import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectStatus } from '#test/expect.ts'
import {
  addLinkedUnit,
  addPmsFault,
  callsFor,
  clearPmsFaults,
  historyOf,
  statusOf,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

suite('a target that is changed during a push', () => {
  test('does not have the failures of the previous connection', async () => {
    const config = { timeout_ms: 2_000 }
    const linked = await addLinkedUnit(owner, config)
    const { targetId } = linked
    await until(
      () => statusOf(owner, linked),
      ({ in_sync }) => in_sync,
    )
    await runSql(world, sql`update target_syncs set failures = 4 where channel_target_id = ${targetId}`)
    const { length } = await callsFor(world, linked)
    await addPmsFault(world, linked, { mode: 'hang', times: 1 })
    // One call: a calendar that is accepted before it would end the row of failures.
    expectStatus(await owner.patch(`/api/v1/units/${linked.unitId}`, { name: 'Another name' }), 200)
    await until(
      () => callsFor(world, linked),
      (calls) => calls.length > length,
    )
    const changed = { channel_type: 'pms', name: 'Repaired', config }
    expectStatus(await owner.put(`/api/v1/channel-targets/${targetId}`, changed), 200)
    await until(
      () => historyOf(owner, linked),
      (entries) => entries.some(({ error }) => error?.code === 'timeout'),
    )
    const { alerts } = expectStatus(await owner.get(`/api/v1/alerts?channel_target_id=${targetId}`), 200)
    assert.deepEqual(alerts, [])
    const { channel_target } = expectStatus(await owner.get(`/api/v1/channel-targets/${targetId}`), 200)
    assert.notEqual(channel_target.status, 'error')
  })
})

suite('a target whose credentials work again at the PMS', () => {
  const target = async ({ targetId }: LinkedUnit) =>
    expectStatus(await owner.get(`/api/v1/channel-targets/${targetId}`), 200).channel_target
  const until401 = async () => {
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ in_sync }) => in_sync,
    )
    await addPmsFault(world, linked, { mode: 'refuse', status: 401, external_id: undefined })
    expectStatus(await owner.patch(`/api/v1/units/${linked.unitId}`, { name: 'Another name' }), 200)
    await until(
      () => target(linked),
      ({ status }) => status === 'error',
    )
    await clearPmsFaults(world, linked.targetId)
    return linked
  }
  const untilActive = (linked: LinkedUnit) =>
    until(
      () => target(linked),
      ({ status }) => status === 'active',
    )

  test('is active when it is saved again', async () => {
    const linked = await until401()
    const { channel_type, name, config } = await target(linked)
    expectStatus(
      await owner.put(`/api/v1/channel-targets/${linked.targetId}`, { channel_type, name, config }),
      200,
    )
    await untilActive(linked)
  })

  test('is active after a push that the PMS accepts', async () => {
    const linked = await until401()
    const trigger = { channel_listing_id: linked.listingId }
    expectStatus(await owner.post('/api/v1/sync/trigger', trigger), 201)
    await untilActive(linked)
  })
})
