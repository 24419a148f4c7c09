import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from './sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { isConnectionLoss, type Database } from './connect.ts'

/** Reads of one turn of the event loop, several of which are sent on one connection. */

const { world } = shareWorld()
let database: Database
before(() => (database = world.resources.database))

const read = async <Row>(orgId: string | null, statement: Statement<Row>) =>
  (await database.pipelined({ orgId, sharesConnection: true }, [statement]))[0]
const backend = sql<{ pid: number }>`select pg_backend_pid() as pid`

suite('reads of one turn', () => {
  test('are sent four to a connection, and one alone to one of its own', async () => {
    const pids = (await Promise.all(Array.from({ length: 8 }, () => read(null, backend)))).map(
      ([row]) => row!.pid,
    )
    assert.equal(new Set(pids.slice(0, 4)).size, 1)
    assert.equal(new Set(pids.slice(4)).size, 1)
    assert.notEqual(pids[0], pids[4])
  })

  test('see the rows of their own organization only', async () => {
    const owners = [world.home.id, world.away.id, null, world.home.id]
    const seen = await Promise.all(
      owners.map((id) => read(id, sql<{ id: string }>`select id from organizations`)),
    )
    assert.deepEqual(
      seen,
      owners.map((id) => (id === null ? [] : [{ id }])),
    )
  })

  test('share a transaction with others of the same organization only', async () => {
    const began = sql<{ at: string }>`select now()::text as at`
    const owners = [world.home.id, world.away.id, world.home.id, world.away.id]
    const times = (await Promise.all(owners.map((id) => read(id, began)))).map(([row]) => row!.at)
    assert.equal(times[0], times[2])
    assert.equal(times[1], times[3])
    assert.notEqual(times[0], times[1])
  })

  test('fail alone', async () => {
    const divide = (by: number) => read(null, sql`select 12 / ${by}::int as value`)
    const results = await Promise.allSettled([divide(3), divide(0), divide(4), divide(0)])
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
      [[{ value: 4 }], '22012', [{ value: 3 }], '22012'],
    )
  })

  test('succeed when the one that was to prepare their statement fails before it', async () => {
    for (let number = 0; number < 3; number++) {
      const statement = sql`select ${number}::int as ${sql.ref(`value_${number}`)}`
      const [failed, ...others] = await Promise.allSettled([
        read('no organization', statement),
        read(null, statement),
        read(null, statement),
      ])
      assert.equal(failed.status === 'rejected' && failed.reason.code, '22P02')
      for (const other of others)
        assert.deepEqual(other.status === 'fulfilled' && other.value, [{ [`value_${number}`]: number }])
    }
  })

  test('reject together when their connection is lost, and later ones succeed', async () => {
    const slow = () => read(null, sql`select from pg_sleep(${30})`)
    const waiting = Promise.allSettled([slow(), slow()])
    setTimeout(() => database.disconnect(), 200)
    for (const result of await waiting)
      assert.ok(result.status === 'rejected' && isConnectionLoss(result.reason))
    assert.equal((await read(null, backend)).length, 1)
  })
})
