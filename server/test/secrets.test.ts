import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from './caller.ts'
import { inDays } from './local-days.ts'
import { canaries, findSecret } from './canaries.ts'
import { openCanaryWorld, type CanaryWorld } from './canary-world.ts'
import { collectionOf, operations } from './operations.ts'
import { outputOf, startCommand } from './run-command.ts'
import { until } from './linked-units.ts'

/** Every secret of the product is searched for in everything that it logs, stores and sends. */

let the: CanaryWorld

before(async () => {
  the = await openCanaryWorld()
})
after(() => the[Symbol.asyncDispose]())

suite('no secret appears', () => {
  test('detects a canary whole, in part and encoded', () => {
    const { generic } = canaries
    const key = Buffer.from(`user:${generic}`)
    for (const text of [generic, generic.slice(0, 9), key.toString('hex'), key.toString('base64')])
      assert.ok(findSecret(`"… ${text} …"`), text)
    assert.equal(findSecret('nothing of the kind'), null)
  })

  test('in offers, preflight, proof and preview', async () => {
    const asked = the.connected.flatMap(({ targetId, listingId }) => [
      `channel-targets/${targetId}/offers`,
      `channel-targets/${targetId}/preflight`,
      `channel-listings/${listingId}/preflight`,
      `sync/proof/${listingId}`,
      `sync/preview/${listingId}`,
    ])
    const replies = await Promise.all(asked.map((path) => the.owner.get(`/api/v1/${path}`)))
    const statuses = new Set(replies.map(({ status }) => status))
    for (const expected of [200, 409, 503]) assert.ok(statuses.has(expected), `none answers ${expected}`)
    for (const [at, { text }] of replies.entries()) the.assertNoSecret(text, asked[at]!)
  })

  test('in what anybody can read of the organization', async () => {
    for (const caller of [the.owner, the.viewer])
      for (const { path } of readable) {
        // Who may write the address may read it.
        if (caller === the.owner && path.startsWith('/api/v1/calendar-feeds')) continue
        for (const address of await addressesOf(path))
          for (const text of await pagesAt(caller, address)) the.assertNoSecret(text, address)
      }
  })

  test('in streams', () => {
    const events = the.streamed()
    assert.match(events, /"failed"/)
    the.assertNoSecret(events, 'the stream')
  })

  test('in error responses', async () => {
    const target = (config: object, more: object = {}) => ({
      channel_type: 'pms',
      name: 'x',
      config,
      ...more,
    })
    const api_key = canaries.generic
    const bodies = [
      target({ credentials: { api_key, extra: api_key } }),
      target({ credentials: { api_key: `${api_key}\n` } }),
      target({ credentials: { api_key: api_key.repeat(40) } }),
      target({ credentials: [api_key] }),
      target({ credentials: { api_key }, base_url: `http://x:${api_key}@127.0.0.1` }),
      target({ credentials: { api_key }, base_url: `http://127.0.0.1/?key=${api_key}` }),
      target({ credentials: { api_key }, base_url: 'ftp://127.0.0.1' }),
      target({ provider: 'channex', credentials: { api_key } }),
      target({ credentials: { api_key } }, { account_id: the.connected[0]!.unitId }),
    ].map((body) => JSON.stringify(body))
    const broken = [
      `{"config":{"api_key":"${canaries.token}"x`,
      `"${canaries.token}`,
      `{'${canaries.token}'}`,
    ]
    for (const body of [...bodies, ...broken, canaries.token, `[${canaries.token}]`]) {
      const headers = { 'content-type': 'application/json' }
      const reply = await the.owner.send('POST', '/api/v1/channel-targets', { body, headers })
      assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} to ${body}`)
      the.assertNoSecret(reply.text, body)
    }
  })

  test('in the database', async () => {
    const tables = await select<{ name: string }>(
      sql`select table_schema || '.' || table_name as name from information_schema.tables
        where table_schema in ('public', 'queue') and table_type = 'BASE TABLE' order by 1`,
    )
    const filled = new Set<string>()
    for (const { name } of tables)
      for (const { text } of await select<{ text: string }>(
        sql`select t::text as text from ${sql.ref(name)} t`,
      )) {
        filled.add(name)
        the.assertNoSecret(text, name)
      }
    for (const name of ['sync_audit', 'alerts', 'listing_syncs', 'channel_targets', 'idempotency_keys'])
      assert.ok(filled.has(`public.${name}`), `nothing is in ${name}`)
  })

  test('in called URLs', async () => {
    const { control, hostaway, echo } = the.outside
    const standIns = [
      await (await fetch(`${the.world.pms.url}/_control/calls`)).json(),
      (await control('GET', 'calls')).body,
      (await hostaway.control('GET', 'calls')).body,
    ] as { calls: { path: string; body: unknown }[] }[]
    for (const { calls } of standIns) {
      assert.ok(calls.length > 0)
      for (const { path, body, ...rest } of calls) {
        the.assertNoSecret(path + JSON.stringify(rest), 'an address')
        if (!path.endsWith('/accessTokens')) the.assertNoSecret(JSON.stringify(body), `the body for ${path}`)
      }
    }
    for (const url of echo.urls) if (!url.includes('.ics')) the.assertNoSecret(url, 'an address')
  })

  test('in the output of the command line', async () => {
    const given = { ...the.env, REDIS_URL: `redis://:${canaries.redis}@127.0.0.1:1` }
    for (const args of [
      ['doctor'],
      ['doctor', '--json'],
      ['secrets', 'reseal'],
      ['secrets', 'reseal', '--json'],
      ['keys', 'status'],
      ['keys', 'status', '--json'],
    ])
      the.assertNoSecret((await outputOf(startCommand(args, given))).output, args.join(' '))
    const wrong = {
      ...given,
      SECRET_KEYS: `${canaries.internal}:${the.env['SECRET_KEYS']},x`,
      PAYMENTS_URL: canaries.payments,
    }
    const { code, output } = await outputOf(startCommand(['doctor'], wrong))
    assert.equal(code, 1)
    the.assertNoSecret(output, 'a faulty configuration')
  })

  test('in unexpected errors, logs and traces', async () => {
    await select(sql`alter table channel_targets add constraint doomed check (name <> 'Doomed')`)
    const config = { credentials: { api_key: canaries.generic } }
    const reply = await the.owner.post('/api/v1/channel-targets', {
      channel_type: 'pms',
      name: 'Doomed',
      config,
    })
    assert.equal(reply.status, 500)
    the.assertNoSecret(reply.text, 'an answer of 500')
    await select(sql`alter table sync_audit rename column response to nothing`)
    await the.owner.post('/api/v1/sync/trigger', { channel_listing_id: the.connected[0]!.listingId })
    await until(
      async () => the.worker.output(),
      (log) => log.includes('job failed'),
    )
    await the.api[Symbol.asyncDispose]()
    await the.worker[Symbol.asyncDispose]()
    for (const { output } of [the.api, the.worker]) the.assertNoSecret(output(), 'the log')
    for (const sentence of ['request answered', 'request failed', 'doomed'])
      assert.ok(the.api.output().includes(sentence), sentence)
    for (const sentence of ['push completed', 'push failed', 'push will be retried', 'job failed'])
      assert.ok(the.worker.output().includes(sentence), sentence)
    const sent = the.spans()
    for (const name of ['PMS POST', '/v1/accessTokens', '/calendars/:token.ics'])
      assert.ok(sent.includes(name), name)
    the.assertNoSecret(sent, 'a trace')
  })
})

/** As the owner of the database, who sees every row. */
async function select<Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> {
  const database = openOwner(the.world.databaseUrl)
  try {
    return (await database.pipelined({ orgId: null }, [statement]))[0]
  } finally {
    await database.close()
  }
}

const readable = operations.filter(({ method, isStream }) => method === 'GET' && !isStream)

/** Every record that a path with an id can name; else the path itself. */
async function addressesOf(path: string): Promise<string[]> {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  const nights = `from=${inDays(0)}&to=${inDays(9)}`
  if (path === '/api/v1/notification-templates/preview') return [`${path}?kind=booking.confirmed`]
  if (path === '/api/v1/availability') return [`${path}?${nights}`]
  if (path === '/api/v1/search') return [`${path}?q=unit`]
  if (path === '/api/v1/calendar') return [`${path}?unit_id=${the.connected[0]!.unitId}&${nights}`]
  if (!name) return [path]
  // An export is read by its secret, and holds nobody else's.
  if (!path.startsWith('/api/v1')) return []
  const collection = collectionOf(name, path)
  // Causes are listed at once.
  const query = collection === '/api/v1/sync/failures' ? '' : '?limit=100'
  const { body } = await the.owner.get(`${collection}${query}`)
  const records = Object.values(body)[0] as { id: string }[]
  return records.map(({ id }) => path.replace(`{${name}}`, id))
}

/** The whole response at an address. */
async function pagesAt(caller: TestCaller, address: string): Promise<string[]> {
  const pages: string[] = []
  for (let next = address; next;) {
    const extra = next === '/metrics' ? { authorization: `Bearer ${canaries.figures}` } : {}
    const { text, body, status, headers } = await caller.get(next, extra)
    const isAsked = /\/(offers|preflight)$/.test(address)
    const isClosed = caller === the.viewer && status === 403
    assert.ok(status === 200 || isAsked || isClosed, `${status} for ${next}: ${text}`)
    pages.push(text, JSON.stringify([...headers]))
    next = body?.has_more ? `${address}?cursor=${encodeURIComponent(body.next_cursor)}` : ''
  }
  return pages
}
