import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, afterCommit } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { serializeError } from '#telemetry/serialize-error.ts'
import { startTelemetry } from '#telemetry/tracing.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { openCollector, type SentSpan } from './collector.ts'
import { addStay, askFor } from './payments.ts'
import { parseMetrics, valueOf } from './prometheus-text.ts'
import { addUnit, systemScope } from './records.ts'
import { until } from './linked-units.ts'
import { addEndpoint, deliveryOf, makeDeliveriesDue, openReceiver } from './webhook-receiver.ts'
import { openWorld, type World } from './world.ts'

/** The spans of a request and its jobs, and what they must not contain. */

const guest = { guestName: 'Zsófia Qwertz', guestEmail: 'zsofia@qwertz.example', guestPhone: '+36301234567' }
const secrets = [...Object.values(guest), 'Qwertz', 'sk_test_world', 'whsec_', 'in-the-query']

let world: World
let sink: Awaited<ReturnType<typeof openCollector>>
let stop: () => Promise<void>
let owner: TestCaller

before(async () => {
  sink = await openCollector()
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${sink.url}/own/path`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=of%20traces',
    OTEL_TRACES_SAMPLER_ARG: '1',
    // Nobody listens there: a mail that fails has its span too.
    SMTP_URL: 'smtp://127.0.0.1:1',
  }
  world = await openWorld({ workers: true, env })
  stop = await startTelemetry(world.config)
  owner = await world.home.as('owner')
})
after(async () => {
  await stop()
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const traceparent = () => `00-${crypto.randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-00`
const idOf = (parent: string) => parent.slice(3, 35)
const attributesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]))

suite('traces', () => {
  test('have the database, payments, mail and webhooks beneath what needed them', async () => {
    const partner = await openReceiver()
    await addEndpoint(owner, `${partner.url}/traced`, { event_types: ['booking.created'] })
    const { id: unitId } = await addUnit(owner, { base_price_cents: 10_000 })
    const parent = traceparent()
    const traced = {
      ...owner,
      post: (path: string, body: object) => owner.post(path, body, { traceparent: parent }),
    }
    const booking = await addStay(traced, { unitId, ...guest, notes: 'in-the-query' })
    await askFor(traced, booking)
    await owner.get(`/api/v1/bookings?q=in-the-query`, { traceparent: parent })
    const wanted = [
      ...['POST /api/v1/bookings', 'GET /api/v1/bookings', 'POST /api/v1/payment-intents'],
      ...['postgresql transaction', 'postgresql pipelined', 'settle-payment', 'payments open'],
      ...['deliver-event', 'deliver-webhooks', 'webhook request', 'send-notification', 'smtp send'],
    ]
    const spans = await until(
      async () => sink.spans.filter(({ traceId }) => traceId === idOf(parent)),
      (found) => wanted.every((name) => found.some((span) => span.name === name)),
    ).catch((error: Error) => {
      const names = new Set(
        sink.spans.filter(({ traceId }) => traceId === idOf(parent)).map(({ name }) => name),
      )
      assert.fail(
        `${wanted.filter((name) => !names.has(name)).join(', ')} did not come: ${error.message.slice(0, 80)}`,
      )
    })
    await partner.close()
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const above = (name: string) => byId.get(spans.find((span) => span.name === name)!.parentSpanId!)?.name
    assert.deepEqual(['payments open', 'smtp send', 'settle-payment'].map(above), [
      'settle-payment',
      'send-notification',
      'POST /api/v1/payment-intents',
    ])
    // The periodic task of due deliveries may be first: its job is in no trace.
    assert.match(above('webhook request')!, /^(deliver-webhooks|POST \/api\/v1\/bookings)$/)
    for (const { name, parentSpanId } of spans)
      assert.ok(parentSpanId === '00f067aa0ba902b7' || byId.has(parentSpanId!), `${name} hangs in the air`)
    const mail = spans.find(({ name }) => name === 'smtp send')!
    assert.equal(mail.status.code, 2)
    assert.equal(attributesOf(mail)['error.type'], 'network')
  })

  test('have the webhook of an event that is sent again', async () => {
    const partner = await openReceiver()
    partner.answer('/again', (nth) => ({ status: nth === 0 ? 500 : 200 }))
    const endpoint = await addEndpoint(owner, `${partner.url}/again`, { event_types: ['space.created'] })
    const parent = traceparent()
    expectStatus(await owner.post('/api/v1/spaces', { name: 'Mill House' }, { traceparent: parent }), 201)
    await deliveryOf(owner, endpoint, ({ response_status }) => response_status === 500)
    await makeDeliveriesDue(world, world.home.id, endpoint.id)
    await until(
      async () =>
        sink.spans.filter(({ name, traceId }) => name === 'webhook request' && traceId === idOf(parent)),
      ({ length }) => length === 2,
    )
    await partner.close()
  })

  test('go where the variables say', () => {
    assert.deepEqual(new Set(sink.requests.map(({ path }) => path)), new Set(['/own/path']))
    assert.equal(sink.requests[0]!.headers['x-key'], 'of traces')
  })

  test('name no guest, no secret and no query', () => {
    const text = JSON.stringify(sink.spans)
    for (const secret of [...secrets, owner.token!.slice(-20)]) assert.ok(!text.includes(secret), secret)
    const known =
      /^(http\.(request\.method|route|response\.status_code)|url\.path|error\.type|vacancy\.(request|org|job)\.id|vacancy\.(queue|provider))$/
    const keys = new Set(sink.spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)))
    assert.deepEqual(
      [...keys].filter((key) => !known.test(key)),
      [],
    )
  })

  test('end too when the caller goes away', async () => {
    const parent = traceparent()
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${owner.token}`, traceparent: parent }
    const url = `${world.url}/api/v1/events?wait=20&types=listing.stale`
    const asked = fetch(url, { headers, signal: leaving.signal })
    // The request has begun by then.
    setTimeout(() => leaving.abort(), 2_000)
    await asked.then(
      (answer) => answer.text(),
      () => {},
    )
    const left = await until(
      async () =>
        sink.spans.find((span) => span.traceId === idOf(parent) && span.name === 'GET /api/v1/events'),
      (span) => span !== undefined,
    )
    assert.equal(Number(attributesOf(left!)['http.response.status_code']), 499)
  })
})

suite('what happened', () => {
  const count = async () => {
    const { text } = await world.caller(null).get('/metrics')
    return valueOf(parseMetrics(text), 'vacancy_events_total', { type: 'booking.created' })!
  }

  test('is counted when it is committed, and a refusal by its code', async () => {
    const before = await count()
    const { id: unitId } = await addUnit(owner)
    const stay = await addStay(owner, { unitId })
    assert.equal((await count()) - before, 1)
    const { checkIn, checkOut } = stay
    const refused = await owner.post('/api/v1/bookings', { unitId, checkIn, checkOut, guestName: 'Second' })
    assert.equal(refused.status, 409)
    assert.equal((await count()) - before, 1)
    const { text } = await world.caller(null).get('/metrics')
    assert.ok(valueOf(parseMetrics(text), 'vacancy_problems_total', { code: 'booking-conflict' })! >= 1)
  })

  test('is not called after a rollback', async () => {
    const scope = systemScope(world, world.home)
    const called: string[] = []
    await assert.rejects(
      atomically(scope, async (transaction) => {
        afterCommit(transaction, () => void called.push('rolled back'))
        throw new Error('no')
      }),
    )
    await atomically(scope, async (outer) => {
      await atomically(outer, async (inner) => afterCommit(inner, () => void called.push('inner')))
      assert.deepEqual(called, [])
    })
    assert.deepEqual(called, ['inner'])
  })
})

suite('the log', () => {
  test('keeps of an error of the database its names, and not the row that it repeats', async () => {
    const { id } = await addStay(owner, guest)
    // As the owner of the database, who sees every row.
    const database = openOwner(world.databaseUrl)
    const error: unknown = await database
      .pipelined({ orgId: world.home.id }, [sql`update bookings set total_cents = -1 where id = ${id}`])
      .catch((caught: unknown) => caught)
    await database.close()
    assert.match((error as { detail: string }).detail, /Qwertz/)
    const shown = serializeError(error)
    assert.equal(shown['code'], '23514')
    assert.equal(shown['table'], 'bookings')
    assert.match(shown.stack!, /^ +at /)
    for (const secret of secrets) assert.ok(!JSON.stringify(shown).includes(secret), secret)
  })

  test('keeps neither what a parser could not read, nor what libraries hang on their errors', () => {
    const unread = (() => {
      try {
        JSON.parse('{"guest": Qwertz}')
      } catch (error) {
        return error as Error
      }
    })()
    const error = Object.assign(new Error('It failed.', { cause: unread }), {
      code: 'ECONNRESET',
      config: { headers: { authorization: 'Bearer Qwertz' } },
      request: { body: 'Qwertz' },
    })
    const shown = serializeError(error)
    assert.deepEqual(
      [shown.message, shown['code'], shown.cause?.type],
      ['It failed.', 'ECONNRESET', 'SyntaxError'],
    )
    assert.ok(!JSON.stringify(shown).includes('Qwertz'))
    assert.equal(serializeError('Qwertz').message, 'not an error')
  })
})
