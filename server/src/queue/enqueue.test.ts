import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/provisioning/provision.ts'
import { until } from '../../test/stock.ts'
import { openWorld, type World } from '../../test/world.ts'
import { enqueue, job } from './job.ts'

/** A job and the change that it follows from: both, or neither. */

let world: World
let scope: Scope
let owner: ReturnType<typeof openOwner>
const Followup = job<{ name: string }>({ name: 'test.followup', queue: 'upkeep' })

before(async () => {
  world = await openWorld()
  owner = openOwner(world.databaseUrl)
  const { database, outbox } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database, outbox }
})
after(async () => {
  await owner.close()
  await world[Symbol.asyncDispose]()
})

/** As a worker sees it. */
async function waiting(name: string): Promise<number> {
  const [found] = await owner.pipelined({ orgId: null }, [
    sql<{
      count: number
    }>`select count(*)::int as count from pgboss.job where data -> 'payload' ->> 'name' = ${name}`,
  ])
  return (found as { count: number }[])[0]!.count
}

suite('a job', () => {
  test('is there when its transaction has committed, and not before', async () => {
    const before = await atomically(scope, async (transaction) => {
      await enqueue(transaction, Followup, [{ payload: { name: 'kept' } }])
      return await waiting('kept')
    })
    assert.deepEqual([before, await waiting('kept')], [0, 1])
  })

  test('goes with the transaction that is taken back', async () => {
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      await enqueue(transaction, Followup, [{ payload: { name: 'taken back' } }])
      throw failure
    })
    await assert.rejects(work, failure)
    assert.equal(await waiting('taken back'), 0)
  })

  test('does not deadlock with the same jobs in another order', async () => {
    const Keyed = job<{ name: string }>({ name: 'test.keyed', queue: 'upkeep', key: ({ name }) => name })
    const add = (names: string[], meanwhile = async () => {}) =>
      scope.database.transaction({ orgId: scope.orgId }, async (connection) => {
        const asked = names.map((name) => ({ payload: { name } }))
        await enqueue({ ...scope, connection }, Keyed, asked)
        await connection.flush()
        await meanwhile()
      })
    const waits = (count: number) =>
      until(
        () => owner.pipelined({ orgId: null }, [sql`select 1 from pg_locks where not granted`]),
        ([found]) => found!.length === count,
      )
    const others: Promise<void>[] = []
    await add(['m'], async () => {
      for (const names of [
        ['a', 'm', 'z'],
        ['z', 'm', 'a'],
      ]) {
        others.push(add(names))
        await waits(others.length)
      }
    })
    await Promise.all(others)
    const counts = await Promise.all(['a', 'm', 'z'].map(waiting))
    assert.deepEqual(counts, [1, 1, 1])
  })
})
