import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { openOwner } from '#features/provisioning/provision.ts'
import { enqueue, job, waitingJob } from '#queue/job.ts'
import { openWorld, type World } from '../../test/world.ts'
import { atomically, lastly, rows, type Scope } from './scope.ts'

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

const add = (name: string) => sql`insert into spaces (org_id, account_id, name, timezone, currency)
  values (${scope.orgId}, ${world.home.accountId}, ${name}, 'UTC', 'eur')`
const named = (name: string) => sql<{ name: string }>`select name from spaces where name like ${`${name}%`}`

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
      await rows(transaction, add(marked))
      // The database ends it between the last statement and the commit.
      const [backend] = await rows(transaction, sql<{ pid: number }>`select pg_backend_pid() as pid`)
      await owner.pipelined({ orgId: null }, [sql`select pg_terminate_backend(${backend!.pid}, 5_000)`])
    })
    await assert.rejects(work)
    assert.deepEqual(await rows(scope, sql`select 1 from spaces where name = ${marked}`), [])
  })

  test('brings what was left for it: with the rest, in its order, and seen by nobody before', async () => {
    const marked = `last ${Date.now()}`
    const seen = await atomically(scope, async (transaction) => {
      lastly(transaction, add(marked))
      lastly(transaction, sql`update spaces set name = name || '!' where name = ${marked}`)
      return await rows(transaction, named(marked))
    })
    assert.deepEqual(seen, [])
    assert.deepEqual(await rows(scope, named(marked)), [{ name: `${marked}!` }])
  })

  test('undoes everything when what was left for it fails, says why, and leaves a connection that works', async () => {
    const marked = `undone ${Date.now()}`
    const work = atomically(scope, async (transaction) => {
      await rows(transaction, add(marked))
      lastly(transaction, sql`select 1 / (length(${marked}) - length(${marked}))`)
      lastly(transaction, add(marked))
    })
    await assert.rejects(work, { code: '22012' })
    for (let times = 0; times < 20; times++) assert.deepEqual(await rows(scope, named(marked)), [])
  })

  test('leaves nothing of what was left for it when the work fails', async () => {
    const marked = `left ${Date.now()}`
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      lastly(transaction, add(marked))
      throw failure
    })
    await assert.rejects(work, failure)
    assert.deepEqual(await rows(scope, named(marked)), [])
  })

  test('is the end: a statement that nobody waited for is refused, and not run outside', async () => {
    const marked = `late ${Date.now()}`
    const transaction = await atomically(scope, (transaction) => Promise.resolve(transaction))
    const over = /The transaction is over/
    await assert.rejects(rows(transaction, add(marked)), over)
    assert.throws(() => lastly(transaction, add(marked)), over)
    assert.deepEqual(await rows(scope, named(marked)), [])
  })

  test('a job that was just put is found by its key, and has one of its kind', async () => {
    const payload = { listingId: randomUUID() }
    const Work = job<typeof payload>({ name: 'try', queue: 'upkeep', key: ({ listingId }) => listingId })
    const [first, second] = [randomUUID(), randomUUID()]
    const waiting = await atomically(scope, async (transaction) => {
      await enqueue(transaction, Work, [{ id: first, payload }])
      await enqueue(transaction, Work, [{ id: second, payload }])
      return await waitingJob(transaction, Work, payload)
    })
    assert.equal(waiting, first)
  })
})
