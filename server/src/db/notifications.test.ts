import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from './sql.ts'
import { cloneDatabase } from '#test/databases.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { until } from '#test/linked-units.ts'
import { openDatabase, type Database } from './connect.ts'
import { atomically, atSavepoint, notifyAfterCommit, type Scope } from './scope.ts'

const options = {
  ...{ poolSize: 2, role: 'vacancy_app', statementTimeoutMs: 2_000, prepare: true },
  ...{ applicationName: 'notifications test', onError: () => {} },
}
const notify = (payloads: readonly string[]) =>
  sql`select pg_notify('notifications_test', payload) from unnest(${payloads}::text[]) payload`

suite('notifications', () => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>
  let other: Database
  const received: string[] = []

  before(async () => {
    clone = await cloneDatabase()
    other = openDatabase({ ...options, url: clone.url })
    await other.listen({ notifications_test: (payload) => received.push(payload) }, () => {})
  })
  after(async () => {
    await other.close()
    await clone[Symbol.asyncDispose]()
  })

  const scopeOf = (database: Database): Scope => ({
    ...{ orgId: '', accountId: null, traceparent: null, database },
    actor: { type: 'system', id: 'test', name: 'test' },
  })
  const receivedWith = async (last: string) => {
    await until(
      async () => received,
      (payloads) => payloads.includes(last),
    )
    return received.splice(0)
  }

  test('arrive after the commit, equal ones once, and never after a rollback', async () => {
    const database = openDatabase({ ...options, url: clone.url })
    await assert.rejects(
      atomically(scopeOf(database), async (transaction) => {
        notifyAfterCommit(transaction, notify, 'rolled back')
        throw new Error('no')
      }),
    )
    await atomically(scopeOf(database), async (transaction) => {
      await atSavepoint(transaction, async (inner) => {
        notifyAfterCommit(inner, notify, 'rolled back to the savepoint')
        throw new Error('no')
      }).catch(() => {})
      notifyAfterCommit(transaction, notify, 'committed')
      await atSavepoint(transaction, async (inner) => notifyAfterCommit(inner, notify, 'committed'))
    })
    database.notify(notify, 'last')
    await database.close()
    assert.deepEqual(await receivedWith('last'), ['committed', 'last'])
  })

  test('are sent again when PostgreSQL was not reached, before the database is closed too', async () => {
    await using proxy = await startFaultProxy(clone.url)
    const errors: Error[] = []
    const onError = (error: Error) => void errors.push(error)
    const database = openDatabase({ ...options, url: proxy.url, onError })
    await proxy.set({ mode: 'refuse' })
    database.notify(notify, 'sent again')
    await until(
      async () => errors,
      ({ length }) => length > 0,
    )
    await proxy.set({ mode: 'pass' })
    database.notify(notify, 'after it')
    assert.deepEqual((await receivedWith('after it')).toSorted(), ['after it', 'sent again'])
    database.notify(notify, 'not waited for')
    database.notify(notify, 'at the end')
    await database.close()
    assert.deepEqual((await receivedWith('at the end')).toSorted(), ['at the end', 'not waited for'])
  })
})
