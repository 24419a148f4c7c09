import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { cloneDatabase } from '../../test/databases.ts'
import { startFaultProxy } from '../../test/fault-proxy.ts'
import { until } from '../../test/stock.ts'
import { openDatabase } from './connect.ts'

const options = {
  ...{ poolSize: 1, role: 'vacancy_app', statementTimeoutMs: 5_000, prepare: true },
  ...{ applicationName: 'round trip test', onError: () => {} },
}

test('all of a transaction is sent before the first of its answers has come: role, organization, commit', async () => {
  await using clone = await cloneDatabase()
  await using proxy = await startFaultProxy(clone.url)
  const database = openDatabase({ ...options, url: proxy.url })
  const direct = openDatabase({ ...options, url: clone.url })
  try {
    await database.pipelined({ orgId: null }, [sql`select 1`])
    await proxy.set({ mode: 'blackhole' }, 'to_client')
    const hash = randomBytes(32)
    const asked = database.pipelined({ orgId: null }, [
      sql`insert into revoked_tokens (token_hash, expires_at) values (${hash}, now())`,
      sql`select current_user::text as role`,
    ])
    await until(
      () => direct.pipelined({ orgId: null }, [sql`select 1 from revoked_tokens where token_hash = ${hash}`]),
      ([rows]) => rows!.length === 1,
    )
    await proxy.set({ mode: 'pass' })
    const answered = await asked.catch((error: Error) => error)
    // On a busy machine the silence may have been noticed: what counts has arrived.
    if (!(answered instanceof Error)) assert.deepEqual(answered, [[], [{ role: 'vacancy_app' }]])
  } finally {
    await Promise.all([database.close(), direct.close()])
  }
})
