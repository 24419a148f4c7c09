import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Statement } from './sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { enqueue, job, findWaitingJob } from '#queue/job.ts'
import { shareWorld } from '#test/share-world.ts'
import { atomically, atSavepoint, deferToCommit, rows, type Scope, type Transaction } from './scope.ts'

/** What holds after a transaction: on its connection, and for its caller. */

const { world } = shareWorld()
let scope: Scope
let owner: ReturnType<typeof openOwner>

before(async () => {
  owner = openOwner(world.databaseUrl)
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
  world.defer(() => owner.close())
})

const insertSpace = (name: string) => sql`insert into spaces (org_id, account_id, name, timezone, currency)
  values (${scope.orgId}, ${world.home.accountId}, ${name}, 'UTC', 'eur')`
const findSpaces = (name: string) =>
  sql<{ name: string }>`select name from spaces where name like ${`${name}%`}`

suite('statements of one turn of the event loop', () => {
  test('one that is not awaited when the work throws has no effect', async () => {
    const name = `unawaited ${Date.now()}`
    const failure = new Error('no')
    const work = atomically(scope, (transaction) => {
      void rows(transaction, insertSpace(name)).catch(() => {})
      void rows(transaction, sql`select 1 / (length(${name}) - length(${name}))`).catch(() => {})
      throw failure
    })
    await assert.rejects(work, failure)
    for (let times = 0; times < 20; times++) assert.deepEqual(await rows(scope, findSpaces(name)), [])
  })

  test('one before a statement that fails at a savepoint keeps its effect, and is answered', async () => {
    const name = `neighbor ${Date.now()}`
    const added = await atomically(scope, async (transaction) => {
      let neighbor: Promise<unknown[]>
      await atSavepoint(transaction, async (inner) => {
        neighbor = rows(inner, sql`select ${name}::text as name`)
        await rows(inner, sql`select 1 / (length(${name}) - length(${name}))`)
      }).catch(() => {})
      await rows(transaction, insertSpace(name))
      return await neighbor!
    })
    assert.deepEqual(added, [{ name }])
    assert.deepEqual(await rows(scope, findSpaces(name)), [{ name }])
  })

  test('a later one rejects with the error of the start of the transaction', async () => {
    const outside = { ...scope, orgId: 'no organization' }
    const work = atomically(outside, async (transaction) => {
      await sleep(50)
      await rows(transaction, sql`select 1 as one`)
    })
    await assert.rejects(work, { code: '22P02' })
  })

  test('one with a value that cannot be sent rejects, and the process lives', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const work = atomically(scope, (transaction) => rows(transaction, sql`select ${circular}::json`))
    await assert.rejects(work, TypeError)
    assert.deepEqual(await rows(scope, sql`select 1 as one`), [{ one: 1 }])
  })

  test('with one that cannot be sent, nothing is written without the start of the transaction', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const names = ['deferred', 'awaited'].map((when) => `without a start ${when} ${Date.now()}`)
    const [deferred, awaited] = names.map((name) => insertSpace(name)) as [Statement, Statement]
    for (const write of [
      (transaction: Transaction) => deferToCommit(transaction, deferred),
      (transaction: Transaction) => rows(transaction, awaited),
    ]) {
      const work = atomically(scope, async (transaction) => {
        await rows(transaction, sql`select ${circular}::json`).catch(() => {})
        await sleep(1)
        return write(transaction)
      })
      await assert.rejects(work, TypeError)
    }
    for (const name of names) assert.deepEqual(await rows(scope, findSpaces(name)), [])
  })
})

suite('the end of a transaction', () => {
  test('rejects with the error of its start, also when it only defers', async () => {
    const outside = { ...scope, orgId: 'no organization' }
    for (const statements of [[], [insertSpace(`outside ${Date.now()}`)]])
      await assert.rejects(
        atomically(outside, async (transaction) =>
          statements.forEach((statement) => deferToCommit(transaction, statement)),
        ),
        { code: '22P02' },
      )
  })

  test('resets the organization: later statements on the connection see no rows', async () => {
    const seen = await atomically(scope, async ({ connection }) => {
      const inside = await connection.raw('select id from organizations')
      await connection.raw('commit')
      const { rows: outside } = await connection.raw('select id from organizations')
      return [inside.rows, outside]
    })
    assert.deepEqual(seen, [[{ id: world.home.id }], []])
  })

  test('succeeds only when the database confirms the commit', async () => {
    const name = `never ${Date.now()}`
    const work = atomically(scope, async (transaction) => {
      await rows(transaction, insertSpace(name))
      // The database ends it between the last statement and the commit.
      const [backend] = await rows(transaction, sql<{ pid: number }>`select pg_backend_pid() as pid`)
      await owner.pipelined({ orgId: null }, [sql`select pg_terminate_backend(${backend!.pid}, 5_000)`])
    })
    await assert.rejects(work)
    assert.deepEqual(await rows(scope, sql`select 1 from spaces where name = ${name}`), [])
  })

  test('sends deferred writes with the commit, in order, and invisible before', async () => {
    const name = `last ${Date.now()}`
    const seen = await atomically(scope, async (transaction) => {
      deferToCommit(transaction, insertSpace(name))
      deferToCommit(transaction, sql`update spaces set name = name || '!' where name = ${name}`)
      return await rows(transaction, findSpaces(name))
    })
    assert.deepEqual(seen, [])
    assert.deepEqual(await rows(scope, findSpaces(name)), [{ name: `${name}!` }])
  })

  test('rolls back when a deferred write fails, reports its error, and keeps the connection usable', async () => {
    const name = `undone ${Date.now()}`
    const work = atomically(scope, async (transaction) => {
      await rows(transaction, insertSpace(name))
      deferToCommit(transaction, sql`select 1 / (length(${name}) - length(${name}))`)
      deferToCommit(transaction, insertSpace(name))
    })
    await assert.rejects(work, { code: '22012' })
    for (let times = 0; times < 20; times++) assert.deepEqual(await rows(scope, findSpaces(name)), [])
  })

  test('discards deferred writes when the work fails', async () => {
    const name = `left ${Date.now()}`
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      deferToCommit(transaction, insertSpace(name))
      throw failure
    })
    await assert.rejects(work, failure)
    assert.deepEqual(await rows(scope, findSpaces(name)), [])
  })

  test('rejects statements that were not awaited, and does not run them outside the transaction', async () => {
    const name = `late ${Date.now()}`
    const transaction = await atomically(scope, (transaction) => Promise.resolve(transaction))
    const over = /The transaction is over/
    await assert.rejects(rows(transaction, insertSpace(name)), over)
    assert.throws(() => deferToCommit(transaction, insertSpace(name)), over)
    assert.deepEqual(await rows(scope, findSpaces(name)), [])
  })

  test('finds a job that was just enqueued by its key, once', async () => {
    const payload = { listingId: randomUUID() }
    const Work = job<typeof payload>({ name: 'try', queue: 'upkeep', key: ({ listingId }) => listingId })
    const [first, second] = [randomUUID(), randomUUID()]
    const waiting = await atomically(scope, async (transaction) => {
      await enqueue(transaction, Work, [{ id: first, payload }])
      await enqueue(transaction, Work, [{ id: second, payload }])
      return await findWaitingJob(transaction, Work, payload)
    })
    assert.equal(waiting, first)
  })
})
