import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { reconcileTargets } from './schedule.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { historyOf, addLinkedUnit, statusOf, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let database: Database

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const targets = '/api/v1/channel-targets'
const target = (config: object) => ({ channel_type: 'pms', name: 'Desk', config })
const nextRunOf = async (id: string): Promise<Date> => {
  const { sync_target } = expectStatus(await owner.get(`/api/v1/sync/targets/${id}`), 200)
  return new Date(sync_target.reconcile_at as string)
}
const minutesAndHour = (date: Date) => [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]

test('rejects an impossible schedule', async () => {
  for (const cron of ['x', '0 3 * *', '@daily', '0 0 3 * * *', '61 3 * * *'])
    assert.ok([400, 422].includes((await owner.post(targets, target({ full_sync_cron: cron }))).status), cron)
  for (const cron of ['61 3 * * *', '*/30 * * * *', '0,59 3 * * *', '0 0 30 2 *'])
    expectProblem(
      await owner.post(targets, target({ full_sync_cron: cron })),
      422,
      'semantic-error',
      '/config/full_sync_cron',
    )
})

test('updates the next run when the schedule is set, changed and removed', async () => {
  const { id } = expectStatus(
    await owner.post(targets, target({ full_sync_cron: '30 3 * * *' })),
    201,
  ).channel_target
  const soon = Date.now() + 25 * 3_600_000
  assert.deepEqual(minutesAndHour(await nextRunOf(id)), [3, 30, 0])
  assert.ok((await nextRunOf(id)).getTime() < soon)
  expectStatus(await owner.put(`${targets}/${id}`, target({ full_sync_cron: '45 13 1 * *' })), 200)
  const monthly = await nextRunOf(id)
  assert.deepEqual([monthly.getUTCDate(), ...minutesAndHour(monthly)], [1, 13, 45, 0])
  expectStatus(await owner.put(`${targets}/${id}`, target({})), 200)
  const daily = await nextRunOf(id)
  assert.ok(daily.getTime() > Date.now() && daily.getUTCHours() < 4, daily.toISOString())
})

test('pushes everything once at its time, and sets the next run', async () => {
  const linked = await addLinkedUnit(owner, { full_sync_cron: '15 2 * * *' })
  await until(
    () => statusOf(owner, linked),
    ({ verification }) => verification === 'verified',
  )
  const pushes = async () =>
    (await historyOf(owner, linked)).filter(({ action }) => action === 'sync.completed').length
  const before = await pushes()
  await database.pipelined({ orgId: null }, [
    sql`update target_syncs set reconcile_at = now() - interval '1 minute' where channel_target_id = ${linked.targetId}`,
  ])
  await Promise.all([1, 2].map(() => reconcileTargets(world.resources)))
  await until(pushes, (count) => count > before)
  await world.settled()
  assert.equal(await pushes(), before + 1)
  const last = (await historyOf(owner, linked)).findLast(({ action }) => action === 'sync.completed')!
  assert.equal(last.trigger, 'schedule')
  assert.deepEqual(minutesAndHour(await nextRunOf(linked.targetId)), [2, 15, 0])
  assert.equal(await reconcileTargets(world.resources), 0)
})
