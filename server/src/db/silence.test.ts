import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { cloneDatabase } from '../../test/databases.ts'
import { startFaultProxy, type FaultProxy } from '../../test/fault-proxy.ts'
import { until } from '../../test/stock.ts'
import { isConnectionLoss, openDatabase, type Database } from './connect.ts'
import { silenceBounds } from './silence.ts'

let clone: Awaited<ReturnType<typeof cloneDatabase>>
let proxy: FaultProxy
let database: Database

// So long that only the watch can be what ends a statement within the patience of a test.
const endlessMs = 300_000
const patience = { timeout: 60_000 }
const noOrganization = { orgId: null }
const open = (url: string, statementTimeoutMs: number) =>
  openDatabase({
    ...{ url, poolSize: 4, role: null, statementTimeoutMs, prepare: true },
    applicationName: 'silence test',
    onError: () => {},
  })
const ask = () => database.pipelined(noOrganization, [sql`select 1`])

before(async () => {
  clone = await cloneDatabase()
  proxy = await startFaultProxy(clone.url)
  database = open(proxy.url, endlessMs)
})
afterEach(() => proxy.set({ mode: 'pass' }))
after(async () => {
  await database.close()
  await proxy[Symbol.asyncDispose]()
  await clone[Symbol.asyncDispose]()
})

suite('a database that has fallen silent', () => {
  test('is given up within two and a half seconds, by its settings', () => {
    const { suspiciousMs, greetingMs, lookEveryMs } = silenceBounds
    assert.ok(suspiciousMs + greetingMs + lookEveryMs < 2_500)
  })

  test('statements that wait for it fail as lost, and once it is back all goes on', patience, async () => {
    await ask()
    await proxy.set({ mode: 'blackhole' })
    const asked = [ask(), ask(), database.transaction(noOrganization, ({ run }) => run(sql`select 2`))]
    for (const result of await Promise.allSettled(asked)) {
      assert.equal(result.status, 'rejected')
      assert.ok(isConnectionLoss(result.reason), String(result.reason))
    }
    await proxy.set({ mode: 'pass' })
    assert.deepEqual(await ask(), [[{ '?column?': 1 }]])
  })

  test('a transaction whose commit is not answered fails as lost', patience, async () => {
    await assert.rejects(
      database.transaction(noOrganization, async ({ run }) => {
        await run(sql`select 1`)
        await proxy.set({ mode: 'blackhole' }, 'to_client')
      }),
      isConnectionLoss,
    )
  })

  test('connections that died unheard are not taken from the pool again', patience, async () => {
    await Promise.all([ask(), ask(), ask()])
    proxy.sever()
    // While it greets newcomers it is there, and only the time-out of a statement tells; so it may not greet either.
    await proxy.set({ mode: 'blackhole' })
    await assert.rejects(ask(), isConnectionLoss)
    await proxy.set({ mode: 'pass' })
    await Promise.all([ask(), ask(), ask(), ask()])
  })

  test('is told from one that is busy: a statement may take longer than the silence', patience, async () => {
    const seconds = (silenceBounds.suspiciousMs + silenceBounds.greetingMs) / 1_000 + 1
    const [rows] = await database.pipelined(noOrganization, [sql`select 1 as done from pg_sleep(${seconds})`])
    assert.deepEqual(rows, [{ done: 1 }])
  })
})

suite('who listens', () => {
  test('notices that the connection has died unheard, comes back, and says so', patience, async () => {
    const said: string[] = []
    const missed = Promise.withResolvers<void>()
    const heard = Promise.withResolvers<void>()
    const listener = (payload: string) => {
      said.push(payload)
      heard.resolve()
    }
    const listening = open(proxy.url, 2_000)
    const { isHearing, stop } = await listening.listen({ silence_test: listener }, missed.resolve)
    proxy.sever()
    await missed.promise
    await until(async () => isHearing(), Boolean)
    const other = open(clone.url, 2_000)
    await other.pipelined(noOrganization, [sql`select pg_notify('silence_test', 'after')`])
    await other.close()
    await heard.promise
    assert.deepEqual(said, ['after'])
    await stop()
    await listening.close()
  })
})
