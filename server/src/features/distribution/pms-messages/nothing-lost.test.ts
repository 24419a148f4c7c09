import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openApp } from '#app.ts'
import { openDatabase } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { callerFor, type Reply } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { readList } from '#test/read-list.ts'
import { runSql } from '#test/run-sql.ts'
import { startTestProcess } from '#test/test-process.ts'
import { addTarget } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

/** A message that was acknowledged with 200 is stored, whatever crashes next. */

const secretKeys = `test:${randomBytes(32).toString('base64')}`
const { world, owner } = shareWorld({ env: { SECRET_KEYS: secretKeys } })

async function listMessageIds(targetId: string): Promise<string[]> {
  const path = `/api/v1/webhook-messages?channel_target_id=${targetId}`
  const messages = await readList<{ message_id: string }>(owner, path)
  return messages.map(({ message_id }) => message_id)
}

suite('inbox: durability', () => {
  test('keeps every acknowledged message when the API is killed', async () => {
    const { id } = await addTarget(owner)
    const api = await startTestProcess('api', {
      PORT: '0',
      DATABASE_URL: world.config.database.url,
      OIDC_ISSUER: world.config.identity.issuer,
      OIDC_AUDIENCE: world.config.identity.audience,
      SECRET_KEYS: secretKeys,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
    })
    const pms = callerFor(api.facts.url!, null)
    const acknowledged: string[] = []
    let isKilled = false
    const sendUntilKilled = async (name: number) => {
      for (let at = 0; !isKilled; at++) {
        const message = { id: `evt_${name}_${at}`, type: 'booking.created' }
        const reply = await pms.post(`/webhooks/pms/${id}`, message).catch(() => undefined)
        if (reply?.status === 200) acknowledged.push(message.id)
        if (acknowledged.length >= 100 && !isKilled) {
          isKilled = true
          await api.kill('SIGKILL')
        }
      }
    }
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(sendUntilKilled))
    const there = new Set(await listMessageIds(id))
    assert.ok(acknowledged.length >= 100)
    assert.deepEqual(
      acknowledged.filter((one) => !there.has(one)),
      [],
    )
  })

  test('does not acknowledge a message before it is stored', async () => {
    const { id } = await addTarget(owner)
    const pms = world.caller(null)
    const holder = openOwner(world.databaseUrl)
    let reply: Reply | undefined
    try {
      const sending = await holder.transaction({ orgId: null }, async (connection) => {
        await connection.raw('lock table webhook_messages in share mode')
        const sending = pms.post(`/webhooks/pms/${id}`, { id: 'evt_held', type: 'ping' })
        void sending.then((one) => (reply = one))
        await until(
          () =>
            connection.raw(
              `select 1 from pg_locks where not granted and relation = 'webhook_messages'::regclass`,
            ),
          ({ rows }) => rows.length > 0,
        )
        // An acknowledgement that does not wait for the write would have arrived by now.
        expectStatus(await pms.get('/health'), 200)
        assert.equal(reply, undefined)
        return { sending }
      })
      expectStatus(await sending.sending, 200)
      assert.deepEqual(await listMessageIds(id), ['evt_held'])
    } finally {
      await holder.close()
    }
  })

  test('keeps a message whose target is deleted while it is stored', async () => {
    const { id } = await addTarget(owner)
    const holder = openOwner(world.databaseUrl)
    try {
      const sending = await holder.transaction({ orgId: null }, async (connection) => {
        await connection.run(sql`delete from channel_targets where id = ${id}`)
        const sending = world.caller(null).post(`/webhooks/pms/${id}`, { id: 'evt_orphan', type: 'ping' })
        await until(
          () =>
            connection.raw(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            ),
          ({ rows }) => rows.length > 0,
        )
        return { sending }
      })
      expectStatus(await sending.sending, 200)
    } finally {
      await holder.close()
    }
    const kept = await runSql(
      world,
      sql<{ message_id: string }>`select message_id from unrouted_webhooks where message_id = 'evt_orphan'`,
    )
    assert.equal(kept.length, 1)
  })

  test('returns 503 while the database is unavailable, and stores the message when it is sent again', async () => {
    const { id } = await addTarget(owner)
    const url = new URL(world.config.database.url)
    const proxy = await openProxy(Number(url.port), url.hostname)
    url.host = `127.0.0.1:${proxy.port}`
    const database = openDatabase({
      url: url.href,
      poolSize: 2,
      role: 'vacancy_app',
      statementTimeoutMs: 5_000,
      prepare: true,
      applicationName: 'behind a proxy',
      onError: () => {},
    })
    const app = await openApp({ ...world.resources, database })
    const pms = callerFor(await app.listen({ port: 0, host: '127.0.0.1' }), null)
    const send = (name: string) => pms.post(`/webhooks/pms/${id}`, { id: name, type: 'ping' })
    try {
      expectStatus(await send('first'), 200)
      proxy.disconnect()
      const reply = await send('second')
      expectProblem(reply, 503, 'unavailable')
      assert.ok(Number(reply.headers.get('retry-after')) > 0)
      await proxy.reconnect()
      expectStatus(await send('second'), 200)
      assert.deepEqual(await listMessageIds(id), ['second', 'first'])
    } finally {
      await app.close()
      await database.close()
      proxy.disconnect()
    }
  })
})

suite('inbox: copies', () => {
  test('of a message that arrives in the time of another partition are counted', async () => {
    const { id } = await addTarget(owner)
    const send = async () =>
      expectStatus(
        await world.caller(null).post(`/webhooks/pms/${id}`, { id: 'evt_late', type: 'ping' }),
        200,
      )
    await send()
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update webhook_messages set received_at = now() + interval '8 days' where channel_target_id = ${id}`,
    ])
    await send()
    const path = `/api/v1/webhook-messages?channel_target_id=${id}`
    const { webhook_messages } = expectStatus(await owner.get(path), 200)
    assert.deepEqual(
      webhook_messages.map(({ copies }: { copies: number }) => copies),
      [2],
    )
  })
})

/** A proxy to the database that can be disconnected. */
async function openProxy(port: number, host: string) {
  const open = new Set<Socket>()
  const server: Server = createServer((near) => {
    const far = connect(port, host)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {}).on('close', () => (open.delete(one), other.destroy()))
      one.pipe(other)
    }
  })
  const listen = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, '127.0.0.1', () => resolve()))
  await listen(0)
  const address = server.address() as { port: number }
  return {
    port: address.port,
    disconnect() {
      server.close()
      for (const socket of open) socket.destroy()
    },
    reconnect: () => listen(address.port),
  }
}
