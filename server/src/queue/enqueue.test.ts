import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { enqueue, job } from './job.ts'

/** A job commits or rolls back with the change that causes it. */

const { world } = shareWorld()
let scope: Scope
let owner: ReturnType<typeof openOwner>
const FollowUp = job<{ name: string }>({ name: 'test.follow-up', queue: 'upkeep' })

before(async () => {
  owner = openOwner(world.databaseUrl)
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
  world.defer(() => owner.close())
})

/** The number of such jobs as another connection sees them. */
async function countJobs(name: string): Promise<number> {
  const [found] = await owner.pipelined({ orgId: null }, [
    sql<{
      count: number
    }>`select count(*)::int as count from queue.jobs where data -> 'payload' ->> 'name' = ${name}`,
  ])
  return (found as { count: number }[])[0]!.count
}

suite('a job', () => {
  test('exists once its transaction has committed, and not before', async () => {
    const before = await atomically(scope, async (transaction) => {
      await enqueue(transaction, FollowUp, [{ payload: { name: 'kept' } }])
      return await countJobs('kept')
    })
    assert.deepEqual([before, await countJobs('kept')], [0, 1])
  })

  test('does not exist after its transaction has rolled back', async () => {
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      await enqueue(transaction, FollowUp, [{ payload: { name: 'rolled back' } }])
      throw failure
    })
    await assert.rejects(work, failure)
    assert.equal(await countJobs('rolled back'), 0)
  })

  test('does not exist when it does not meet its condition at the commit', async () => {
    const onlyIf = sql`exists (select from spaces where name = job.data #>> '{payload,name}')`
    const Conditional = job<{ name: string }>({ name: 'test.conditional', queue: 'upkeep', onlyIf })
    await atomically(scope, async (transaction) => {
      await enqueue(transaction, Conditional, [
        { payload: { name: 'met' } },
        { payload: { name: 'not met' } },
      ])
      await rows(
        transaction,
        sql`insert into spaces (org_id, account_id, name, timezone, currency)
          values (${scope.orgId}, ${world.home.accountId}, 'met', 'UTC', 'eur')`,
      )
    })
    assert.deepEqual([await countJobs('met'), await countJobs('not met')], [1, 0])
  })

  test('is one job with those of the same key that wait, and only with those', async () => {
    const Keyed = job<{ name: string }>({ name: 'test.merged', queue: 'upkeep', key: ({ name }) => name })
    const merged = [{ payload: { name: 'merged' } }]
    await atomically(scope, (transaction) => enqueue(transaction, Keyed, merged))
    await atomically(scope, (transaction) => enqueue(transaction, Keyed, merged))
    assert.equal(await countJobs('merged'), 1)
    await owner.pipelined({ orgId: null }, [sql`update queue.jobs set attempts = 1, heartbeat_at = now()`])
    await atomically(scope, (transaction) => enqueue(transaction, Keyed, merged))
    assert.equal(await countJobs('merged'), 2)
    await atomically(scope, (transaction) =>
      enqueue(transaction, FollowUp, [{ payload: { name: 'alike' } }, { payload: { name: 'alike' } }]),
    )
    assert.equal(await countJobs('alike'), 2)
  })

  test('is seen and added by its organization only', async () => {
    await atomically(scope, (transaction) => enqueue(transaction, FollowUp, [{ payload: { name: 'ours' } }]))
    const orgIds = sql<{ org_id: string }>`select distinct org_id from queue.jobs`
    assert.deepEqual(await rows(scope, orgIds), [{ org_id: world.home.id }])
    assert.deepEqual(await rows({ ...scope, orgId: world.away.id }, orgIds), [])
    const [added] = await Promise.allSettled([
      rows(
        scope,
        sql`insert into queue.jobs (queue, org_id, data) values ('upkeep', ${world.away.id}, '{}')`,
      ),
    ])
    assert.equal((added as { reason?: { code: string } }).reason?.code, '42501')
  })

  test('does not deadlock with the same jobs in another order', async () => {
    const Keyed = job<{ name: string }>({ name: 'test.keyed', queue: 'upkeep', key: ({ name }) => name })
    const add = (names: string[], meanwhile = async () => {}) =>
      scope.database.transaction({ orgId: scope.orgId }, async (connection) => {
        const requests = names.map((name) => ({ payload: { name } }))
        await enqueue({ ...scope, connection }, Keyed, requests)
        await connection.flush()
        await meanwhile()
      })
    const untilWaiting = (count: number) =>
      until(
        () => owner.pipelined({ orgId: null }, [sql`select 1 from pg_locks where not granted`]),
        ([found]) => found.length === count,
      )
    const others: Promise<void>[] = []
    await add(['m'], async () => {
      for (const names of [
        ['a', 'm', 'z'],
        ['z', 'm', 'a'],
      ]) {
        others.push(add(names))
        await untilWaiting(others.length)
      }
    })
    await Promise.all(others)
    const counts = await Promise.all(['a', 'm', 'z'].map(countJobs))
    assert.deepEqual(counts, [1, 1, 1])
  })
})
