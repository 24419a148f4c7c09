import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Statement } from './sql.ts'
import { cloneDatabase } from '#test/databases.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { until } from '#test/linked-units.ts'
import { openDatabase, type Database } from './connect.ts'

const options = {
  ...{ poolSize: 1, role: 'vacancy_app', statementTimeoutMs: 5_000, prepare: true },
  ...{ applicationName: 'connect test', onError: () => {} },
}

/** What is sent while no answer arrives; it inserts a token, which another connection finds. */
async function sendUnanswered<T>(
  send: (database: Database, insert: Statement) => Promise<T>,
): Promise<T | Error> {
  await using clone = await cloneDatabase()
  await using proxy = await startFaultProxy(clone.url)
  const database = openDatabase({ ...options, url: proxy.url })
  const direct = openDatabase({ ...options, url: clone.url })
  try {
    await database.pipelined({ orgId: null }, [sql`select 1`])
    await proxy.set({ mode: 'blackhole' }, 'to_client')
    const hash = randomBytes(32)
    const sent = send(
      database,
      sql`insert into revoked_tokens (token_hash, expires_at) values (${hash}, now())`,
    )
    await until(
      () => direct.pipelined({ orgId: null }, [sql`select 1 from revoked_tokens where token_hash = ${hash}`]),
      ([rows]) => rows.length === 1,
    )
    await proxy.set({ mode: 'pass' })
    // On a busy machine the database may have been taken for dead; the statements have arrived all the same.
    return await sent.catch((error: Error) => error)
  } finally {
    await Promise.all([database.close(), direct.close()])
  }
}

test('a pipelined transaction is sent in full before its first result arrives: role, organization, commit', async () => {
  const outcome = await sendUnanswered((database, insert) =>
    database.pipelined({ orgId: null }, [insert, sql`select current_user::text as role`]),
  )
  if (!(outcome instanceof Error)) assert.deepEqual(outcome, [[], [{ role: 'vacancy_app' }]])
})

test('a transaction that reads nothing is sent in full before its first result arrives, and commits', async () => {
  await sendUnanswered((database, insert) =>
    database.transaction({ orgId: null }, async ({ deferToCommit }) => deferToCommit(insert)),
  )
})

for (const [what, isOpen] of [
  ['the start of a connection', false],
  ['a wait for a used connection', true],
] as const)
  test(`${what} does not fail because this process stood still`, async () => {
    await using clone = await cloneDatabase()
    const database = openDatabase({ ...options, url: clone.url })
    const select = (seconds: number) =>
      database.pipelined({ orgId: null }, [sql`select from pg_sleep(${seconds}::float8)`])
    try {
      if (isOpen) await select(0)
      const results = [select(0.1), select(0)]
      if (isOpen) await nextTurn()
      standStill(2_300)
      await Promise.all(results)
    } finally {
      await database.close()
    }
  })

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('no statement is compiled, whatever the default of the server', async () => {
  await using clone = await cloneDatabase()
  const url = `${clone.url}?options=${encodeURIComponent('-c jit=on')}`
  const database = openDatabase({ ...options, url })
  const setting = sql<{ inside: string; outside: string }>`
    select current_setting('jit') as inside, reset_val as outside from pg_settings where name = 'jit'`
  const expected = [{ inside: 'off', outside: 'on' }]
  try {
    assert.deepEqual(await database.pipelined({ orgId: null }, [setting]), [expected])
    assert.deepEqual(await database.transaction({ orgId: null }, ({ run }) => run(setting)), expected)
  } finally {
    await database.close()
  }
})

test('statements that PostgreSQL skipped after a failed one are prepared when they are sent again', async () => {
  await using clone = await cloneDatabase()
  const database = openDatabase({ ...options, url: clone.url })
  const double = (value: number) => sql<{ double: number }>`select ${value}::int * 2 as double`
  const fail = sql`select 1 / (${1}::int - 1)`
  try {
    await assert.rejects(database.pipelined({ orgId: null }, [fail, double(1)]), { code: '22012' })
    assert.deepEqual(await database.pipelined({ orgId: null }, [double(2), double(3)]), [
      [{ double: 4 }],
      [{ double: 6 }],
    ])
    await assert.rejects(database.pipelined({ orgId: null }, [double(1), fail]), { code: '22012' })
    assert.deepEqual(await database.pipelined({ orgId: null }, [double(4)]), [[{ double: 8 }]])
  } finally {
    await database.close()
  }
})

test('pipelined statements are one transaction: when one fails, none has an effect', async () => {
  await using clone = await cloneDatabase()
  const database = openDatabase({ ...options, url: clone.url })
  const hash = randomBytes(32)
  const insert = sql`insert into revoked_tokens (token_hash, expires_at) values (${hash}, now())`
  const find = sql`select 1 from revoked_tokens where token_hash = ${hash}`
  try {
    await assert.rejects(database.pipelined({ orgId: null }, [insert, sql`select 1 / (${1}::int - 1)`]))
    assert.deepEqual(await database.pipelined({ orgId: null }, [find]), [[]])
    const [, rows] = await database.pipelined({ orgId: null }, [insert, find])
    assert.equal(rows.length, 1)
    // A setting of the transaction ends with it.
    const [[setting]] = await database.pipelined<[{ org: string }]>({ orgId: null }, [
      sql<{ org: string }>`select set_config('app.org_id', ${randomUUID()}, true) as org`,
    ])
    const [[after]] = await database.pipelined<[{ org: string }]>({ orgId: null }, [
      sql<{ org: string }>`select current_setting('app.org_id') as org`,
    ])
    assert.notEqual(setting!.org, '')
    assert.equal(after!.org, '')
  } finally {
    await database.close()
  }
})

/** A message of the PostgreSQL protocol: its type, its length and its content. */
const protocolMessage = (type: string, content: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}
const fatal = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'

// When PostgreSQL is killed, the greeting and the fatal error of a connection can arrive in one packet. Then the error is
// read before the pool has handed out the connection.
test('a connection that fails in the packet that greets it rejects the statement and does not end the process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          protocolMessage('R', Buffer.alloc(4)),
          protocolMessage('Z', Buffer.from('I')),
          protocolMessage('E', Buffer.from(fatal)),
        ]),
      ),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const database = openDatabase({
    url: `postgres://nobody@127.0.0.1:${port}/nothing`,
    ...{ poolSize: 2, role: null, statementTimeoutMs: 1_000, prepare: false, applicationName: 'test' },
    onError: () => {},
  })
  try {
    await assert.rejects(database.pipelined({ orgId: null }, [sql`select 1`]))
    await assert.rejects(database.transaction({ orgId: null }, (connection) => connection.run(sql`select 1`)))
  } finally {
    await database.close()
    server.close()
  }
})

test('timestamps become ISO 8601 with milliseconds in UTC, whatever their precision and the time zone of the session', async () => {
  await using clone = await cloneDatabase()
  const database = openDatabase({ ...options, url: clone.url })
  try {
    for (const zone of ['UTC', 'Europe/Lisbon', 'Asia/Kolkata'])
      assert.deepEqual(
        await database.transaction({ orgId: null }, async ({ run }) => {
          await run(sql`select set_config('timezone', ${zone}, true)`)
          const found = await run(sql<{ at: string }>`
            select at::timestamptz as at
            from unnest(array['2026-07-01 10:20:30Z', '2026-07-01 10:20:30.1Z', '2026-07-01 10:20:30.123987Z', '1999-12-31 23:59:59.9999Z']) at`)
          return found.map(({ at }) => at)
        }),
        [
          '2026-07-01T10:20:30.000Z',
          '2026-07-01T10:20:30.100Z',
          '2026-07-01T10:20:30.123Z',
          '1999-12-31T23:59:59.999Z',
        ],
        zone,
      )
  } finally {
    await database.close()
  }
})

test('a value that cannot be converted fails its statement, and none loses its rows', async () => {
  await using clone = await cloneDatabase()
  const database = openDatabase({ ...options, url: clone.url })
  const forever = sql<{
    at: string
  }>`select at::timestamptz as at from unnest(array['2026-07-01', 'infinity', '2026-07-02']) at`
  const one = sql<{ one: number }>`select 1 as one`
  try {
    await database.transaction({ orgId: null }, async ({ run }) => {
      const [first, second] = await Promise.allSettled([run(one), run(forever)])
      assert.deepEqual(first, { status: 'fulfilled', value: [{ one: 1 }] })
      assert.equal(second.status, 'rejected')
    })
    const read = (statement: typeof forever | typeof one) =>
      database.pipelined({ orgId: null, sharesConnection: true }, [statement])
    const [first, second] = await Promise.allSettled([read(one), read(forever)])
    assert.deepEqual(first, { status: 'fulfilled', value: [[{ one: 1 }]] })
    assert.equal(second.status, 'rejected')
  } finally {
    await database.close()
  }
})
