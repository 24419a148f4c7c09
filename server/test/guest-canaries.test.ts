import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { listen, stopListening } from '../../sandbox/test/listen.ts'
import { callerFor, type TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { ada, readRows, findGuest, pmsMessage, stay, type Stays } from './guest-stays.ts'
import type { NodeProcess } from './node-process.ts'
import { startTestProcess } from './test-process.ts'
import { until } from './linked-units.ts'
import { openWorld, type World } from './world.ts'

/** A guest with words of their own, looked for where no guest has any business: logs, traces, metrics, history. */

const opened = new AsyncDisposableStack()
let world: World
let api: NodeProcess
let worker: NodeProcess
let owner: TestCaller
let stays: Stays
const spans: string[] = []

before(async () => {
  const inside = opened.use(await openWorld())
  const collector = createServer((request, response) => {
    request.on('data', (chunk) => spans.push(String(chunk)))
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  const collectorUrl = await listen(collector, {})
  opened.defer(() => stopListening(collector))
  const { database, identity, secrets, home } = inside.config
  const [key] = secrets.keys
  const env = {
    ...{ DATABASE_URL: database.url, VACANCY_HOME: home, GENERIC_PMS_URL: inside.pms.url },
    ...{ OIDC_ISSUER: identity.issuer, OIDC_AUDIENCE: identity.audience },
    ...{ SECRET_KEYS: `${key!.id}:${key!.bytes.toString('base64')}`, ALLOW_PRIVATE_ADDRESSES: 'true' },
    ...{ PAYMENTS_URL: inside.payments.url, PAYMENTS_API_KEY: 'sk_test_world' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, OTEL_TRACES_SAMPLER_ARG: '1', LOG_LEVEL: 'debug' },
  }
  api = opened.use(await startTestProcess('api', { ...env, PORT: '0' }))
  worker = opened.use(await startTestProcess('worker', env))
  const url = api.facts.url!
  world = { ...inside, url, caller: (token) => callerFor(url, token) }
  owner = callerFor(url, (await inside.home.as('owner')).token)
  stays = await stay(world, owner)
  opened.defer(() => stays.receiver.close())
})
after(() => opened.disposeAsync())

const assertNoGuest = (text: string, where: string) =>
  assert.equal(findGuest(text), null, `a guest shows in ${where}`)

/** Where a guest may stand, because that is what it is for. */
const forGuests = [
  ...['bookings', 'events', 'notifications', 'webhook_messages', 'webhook_deliveries', 'booking_conflicts'],
  ...['idempotency_keys', 'calendar_blocks', 'calendar_change_parts', 'queue.jobs'],
]

suite('no guest data appears', () => {
  test('in a table that is not for guests, including the audit', async () => {
    const found = (await readRows(world)).filter(({ text }) => findGuest(text))
    const others = found.filter(({ table }) => !forGuests.includes(table))
    // The reason and the name that operators wrote, which an erasure reaches.
    assert.deepEqual(
      others.map(({ table, text }) => [table, /calendar\.changed|Friends/.test(text)]),
      [
        ['audit_entries', true],
        ['audit_entries', true],
        ['sync_audit', true],
      ],
    )
    for (const table of ['bookings', 'events', 'webhook_messages'])
      assert.ok(
        found.some((one) => one.table === table),
        `${table} would be seen`,
      )
  })

  test('in calls of the PMS and the payment provider', async () => {
    const calls = await (await fetch(`${world.pms.url}/_control/calls`)).text()
    assert.ok(calls.includes(stays.linked.externalId))
    assertNoGuest(calls, 'a call of the PMS')
    assertNoGuest(await (await fetch(`${world.payments.url}/_control/ledger`)).text(), 'a payment')
  })

  test('in error responses', async () => {
    const { unitId } = stays.linked
    const guest = { guestName: ada.name, guestEmail: ada.email, guestPhone: ada.phone, notes: ada.notes }
    const dates = { unitId, checkIn: '2034-07-01', checkOut: '2034-07-04' }
    for (const [body, status] of [
      [{ ...dates, ...guest, guestEmail: `${ada.name} at home` }, 400],
      [{ ...dates, ...guest, [ada.email]: 1 }, 400],
      [{ ...dates, ...guest, guests: ada.phone }, 400],
      [{ ...dates, ...guest, checkIn: '2031-07-01', checkOut: '2031-07-04', rooms: 9_000 }, 422],
      [{ ...guest, unitId, checkIn: '2031-07-02', checkOut: '2031-07-03' }, 409],
    ] as const) {
      const reply = await owner.post('/api/v1/bookings', body)
      assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} for ${status}`)
      // The name of an unknown member is shown to its sender.
      if (!Object.hasOwn(body, ada.email)) assertNoGuest(reply.text, `an answer of ${reply.status}`)
    }
    const database = openOwner(world.databaseUrl)
    await database.pipelined({ orgId: null }, [
      sql`alter table bookings add constraint doomed check (guest_name not like 'Doomed%')`,
    ])
    await database.close()
    const name = `Doomed ${ada.name}`
    const reply = await owner.post('/api/v1/bookings', { ...dates, ...guest, guestName: name })
    assert.equal(reply.status, 500)
    assertNoGuest(reply.text, 'an answer of 500')
    const word = pmsMessage(stays.linked, 'PMS-QX-9', {
      guest_name: name,
      check_in: '2034-09-01',
      check_out: '2034-09-03',
    })
    await world.caller(null).post(`/webhooks/pms/${stays.linked.targetId}`, word)
    const { webhook_messages } = await until(
      async () => (await owner.get('/api/v1/webhook-messages?limit=100')).body,
      (body) =>
        body.webhook_messages.some(
          (one: { attempts: number; message_id: string; error_message: string }) =>
            one.message_id === word.id && one.attempts === 1 && one.error_message !== null,
        ),
    )
    assertNoGuest(JSON.stringify(webhook_messages), 'what became of a message')
    const { alerts } = expectStatus(await owner.get('/api/v1/alerts?limit=100'), 200)
    assertNoGuest(JSON.stringify(alerts), 'an alert')
  })

  test('in metrics, logs and traces', async () => {
    const { text } = await world.caller(null).get('/metrics')
    assert.match(text, /http_/)
    assertNoGuest(text, 'the figures')
    await owner.post('/api/v1/guest-exports', { email: ada.email })
    const { id } = expectStatus(
      await owner.post('/api/v1/guest-erasures', { email: ada.email }),
      201,
    ).guest_erasure
    await until(
      async () => (await owner.get(`/api/v1/guest-erasures/${id}`)).body.guest_erasure.status,
      (status) => status === 'completed',
    )
    await owner.get(`/api/v1/bookings?q=${encodeURIComponent(ada.name)}`)
    await api[Symbol.asyncDispose]()
    await worker[Symbol.asyncDispose]()
    for (const { output } of [api, worker]) assertNoGuest(output(), 'the log')
    assert.match(worker.output(), /guest erased/)
    const sent = spans.join('')
    for (const name of ['/api/v1/bookings', 'erase-guest']) assert.ok(sent.includes(name), name)
    assertNoGuest(sent, 'a trace')
  })
})
