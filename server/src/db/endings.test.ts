import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { openOwner } from '#features/provisioning/provision.ts'
import { openWorld, type World } from '../../test/world.ts'
import { atomically, rows, type Scope } from './scope.ts'

/** What is true when a transaction is over: of its connection, and of who was told that it is done. */

let world: World
let scope: Scope
let owner: ReturnType<typeof openOwner>

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

suite('the end of a transaction', () => {
  test('takes its organization along: what follows on the connection sees nothing', async () => {
    const seen = await atomically(scope, async ({ connection }) => {
      const inside = await connection.raw('select id from organizations')
      await connection.raw('commit')
      const { rows: outside } = await connection.raw('select id from organizations')
      return [inside.rows, outside]
    })
    assert.deepEqual(seen, [[{ id: world.home.id }], []])
  })

  test('is told only when the database has said so: one that cannot commit has failed', async () => {
    const marked = `never ${Date.now()}`
    const work = atomically(scope, async (transaction) => {
      await rows(
        transaction,
        sql`insert into spaces (org_id, account_id, name, timezone, currency)
          values (${scope.orgId}, ${world.home.accountId}, ${marked}, 'UTC', 'eur')`,
      )
      // The database ends it between the last statement and the commit.
      const [backend] = await rows(transaction, sql<{ pid: number }>`select pg_backend_pid() as pid`)
      await owner.pipelined({ orgId: null }, [sql`select pg_terminate_backend(${backend!.pid}, 5_000)`])
    })
    await assert.rejects(work)
    assert.deepEqual(await rows(scope, sql`select 1 from spaces where name = ${marked}`), [])
  })
})
