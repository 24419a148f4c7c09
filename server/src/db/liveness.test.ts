import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from './sql.ts'
import { cloneDatabase } from '#test/databases.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { until } from '#test/linked-units.ts'
import { isConnectionLoss, openDatabase } from './connect.ts'
import { liveness } from './liveness.ts'

let clone: Awaited<ReturnType<typeof cloneDatabase>>

// Longer than the tests may take, so that only the liveness check can end a statement.
const statementTimeoutMs = 300_000
const timeout = { timeout: 60_000 }
const noOrganization = { orgId: null }
const open = (url: string, statementTimeoutMs: number) =>
  openDatabase({
    ...{ url, poolSize: 4, role: null, statementTimeoutMs, prepare: true },
    applicationName: 'liveness test',
    onError: () => {},
  })

/** A database behind a proxy of its own. */
async function openProxied() {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await startFaultProxy(clone.url))
  const database = open(proxy.url, statementTimeoutMs)
  opened.defer(() => database.close())
  opened.defer(() => proxy.set({ mode: 'pass' }))
  const kept = opened.move()
  return {
    ...{ proxy, database },
    query: () => database.pipelined(noOrganization, [sql`select 1`]),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

before(async () => (clone = await cloneDatabase()))
after(() => clone[Symbol.asyncDispose]())

// These tests wait for seconds, so they wait together.
suite('a database that does not answer', { concurrency: true }, () => {
  test('is detected within 4.5 seconds, by its settings', () => {
    const { silentMs, probeTimeoutMs, checkIntervalMs } = liveness
    assert.ok(silentMs + probeTimeoutMs + checkIntervalMs < 4_500)
  })

  test(
    'waiting statements fail with a connection loss, and later ones succeed once it is back',
    timeout,
    async () => {
      await using proxied = await openProxied()
      const { proxy, database, query } = proxied
      await query()
      await proxy.set({ mode: 'blackhole' })
      const sent = [query(), query(), database.transaction(noOrganization, ({ run }) => run(sql`select 2`))]
      for (const result of await Promise.allSettled(sent)) {
        assert.equal(result.status, 'rejected')
        assert.ok(isConnectionLoss(result.reason), String(result.reason))
      }
      await proxy.set({ mode: 'pass' })
      assert.deepEqual(await query(), [[{ '?column?': 1 }]])
    },
  )

  test(
    'disconnecting ends waiting statements with a connection loss, and later ones succeed',
    timeout,
    async () => {
      await using proxied = await openProxied()
      const { database, query } = proxied
      await query()
      const waiting = database.pipelined(noOrganization, [sql`select from pg_sleep(${30})`])
      setTimeout(() => database.disconnect(), 200)
      await assert.rejects(waiting, isConnectionLoss)
      assert.deepEqual(await query(), [[{ '?column?': 1 }]])
    },
  )

  test('a transaction whose commit is not answered fails with a connection loss', timeout, async () => {
    await using proxied = await openProxied()
    const { proxy, database } = proxied
    await assert.rejects(
      database.transaction(noOrganization, async ({ run }) => {
        await run(sql`select 1`)
        await proxy.set({ mode: 'blackhole' }, 'to_client')
      }),
      isConnectionLoss,
    )
  })

  test('connections that were lost without notice are not taken from the pool again', timeout, async () => {
    await using proxied = await openProxied()
    const { proxy, query } = proxied
    await Promise.all([query(), query(), query()])
    proxy.sever()
    // While new connections are accepted the database counts as alive, so they must fail as well.
    await proxy.set({ mode: 'blackhole' })
    await assert.rejects(query(), isConnectionLoss)
    await proxy.set({ mode: 'pass' })
    await Promise.all([query(), query(), query(), query()])
  })

  test(
    'a busy database is not taken for a dead one: a statement may run longer than the limit',
    timeout,
    async () => {
      await using proxied = await openProxied()
      const { database } = proxied
      const seconds = (liveness.silentMs + liveness.probeTimeoutMs) / 1_000 + 1
      const [rows] = await database.pipelined(noOrganization, [
        sql`select 1 as done from pg_sleep(${seconds})`,
      ])
      assert.deepEqual(rows, [{ done: 1 }])
    },
  )

  test(
    'a listener detects a lost connection, reconnects, and reports that notifications were missed',
    timeout,
    async () => {
      const received: string[] = []
      const missed = Promise.withResolvers<void>()
      const arrived = Promise.withResolvers<void>()
      const onNotification = (payload: string) => {
        received.push(payload)
        arrived.resolve()
      }
      await using proxied = await openProxied()
      const { proxy } = proxied
      const listeningDatabase = open(proxy.url, 2_000)
      const { isReceiving, stop } = await listeningDatabase.listen(
        { liveness_test: onNotification },
        missed.resolve,
      )
      proxy.sever()
      await missed.promise
      await until(async () => isReceiving(), Boolean)
      const other = open(clone.url, 2_000)
      await other.pipelined(noOrganization, [sql`select pg_notify('liveness_test', 'after')`])
      await other.close()
      await arrived.promise
      assert.deepEqual(received, ['after'])
      await stop()
      await listeningDatabase.close()
    },
  )
})

test(
  'a statement that is not answered in time fails with a connection loss, though the database answers others',
  timeout,
  async () => {
    const database = open(clone.url, 200)
    try {
      const stuck = database.transaction(noOrganization, async ({ raw }) => {
        await raw('set local statement_timeout = 0')
        await raw('select pg_sleep(50)')
      })
      await assert.rejects(stuck, isConnectionLoss)
      assert.deepEqual(await database.pipelined(noOrganization, [sql`select 1 as done`]), [[{ done: 1 }]])
    } finally {
      await database.close()
    }
  },
)

// Alone, because it stops the whole process for a while.
test('answers that arrived while this process was paused count', timeout, async () => {
  await using proxied = await openProxied()
  const { proxy, database, query } = proxied
  await query()
  await proxy.set({ mode: 'delay', ms: 250 }, 'to_client')
  const { silentMs, probeTimeoutMs } = liveness
  const { opened } = proxy.counts()
  const seconds = (silentMs + 2.5 * probeTimeoutMs) / 1_000
  const sent = database.pipelined(noOrganization, [sql`select 1 as done from pg_sleep(${seconds})`])
  // A probe takes several delayed replies.
  while (proxy.counts().opened === opened) await sleep(10)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * probeTimeoutMs)
  assert.deepEqual(await sent, [[{ done: 1 }]])
})
