import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Database } from '#db/connect.ts'
import { serveMonitoring } from '#http/monitoring-server.ts'
import { metrics } from '#telemetry/metrics.ts'
import { expectProblem } from '#test/expect.ts'
import { askPromtool, faultsOf, parseMetrics, promtool, valueOf } from '#test/prometheus-text.ts'
import { unknownId } from '#test/records.ts'
import { addLinkedUnit, setPrice } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { backlogGauges } from './gauges.ts'

suite('GET /metrics', () => {
  let world: World
  const scrape = async () => {
    const reply = await world.caller(null).get('/metrics')
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return { text: reply.text, ...parseMetrics(reply.text) }
  }
  before(async () => (world = await openWorld({ workers: true })))
  after(() => world[Symbol.asyncDispose]())

  test('returns 200 with Prometheus text', async () => {
    const { types, samples } = await scrape()
    assert.equal(types.get('http_requests_total'), 'counter')
    assert.equal(types.get('http_request_duration_seconds'), 'histogram')
    for (const name of [
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      assert.ok(types.has(name), `${name} is missing`)
    assert.equal(types.has('nodejs_version_info'), false)
    assert.deepEqual(
      samples
        .filter(({ name }) => name === 'vacancy_build_info')
        .map(({ value, labels }) => [value, Object.keys(labels)]),
      [[1, ['version']]],
    )
  })

  test('counts requests by method, template and status; requests without a route are one series', async () => {
    const owner = await world.home.as('owner')
    const before = await scrape()
    for (const id of [unknownId, unknownId.replace('4', '5'), 'none']) await owner.get(`/api/v1/units/${id}`)
    await owner.get('/api/v1/nothing')
    await owner.get('/api/v1/nothing/more?x=1')
    await owner.send('PROPFIND', '/api/v1/units', {})
    const after = await scrape()
    const grown = (name: string, labels: Record<string, string>) =>
      (valueOf(after, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0)
    const unit = { method: 'GET', route: '/api/v1/units/:id' }
    assert.equal(grown('http_requests_total', { ...unit, status: '404' }), 2)
    assert.equal(grown('http_requests_total', { ...unit, status: '400' }), 1)
    assert.equal(grown('http_request_duration_seconds_count', { ...unit, status: '4xx' }), 3)
    assert.equal(grown('http_request_duration_seconds_bucket', { ...unit, le: '+Inf' }), 3)
    assert.equal(grown('http_requests_total', { route: 'unmatched' }), 3)
    assert.equal(grown('http_requests_total', { method: 'other' }), 1)
  })

  test('counts jobs and pushes, and reports waiting jobs', async () => {
    const owner = await world.home.as('owner')
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await setPrice(owner, linked, 12_345)
    await world.settled()
    const found = await scrape()
    assert.ok(valueOf(found, 'vacancy_jobs_total', { queue: 'sync', outcome: 'completed' })! >= 2)
    assert.ok(valueOf(found, 'vacancy_pushes_total', { outcome: 'completed' })! >= 2)
    assert.equal(valueOf(found, 'vacancy_database_up'), 1)
    assert.ok(valueOf(found, 'vacancy_database_connections')! >= 1)
    for (const queue of ['sync', 'payments', 'notifications', 'webhooks', 'upkeep'])
      for (const state of ['ready', 'delayed', 'active'])
        assert.notEqual(
          valueOf(found, 'vacancy_queue_jobs', { queue, state }),
          undefined,
          `${queue} ${state}`,
        )
    assert.notEqual(valueOf(found, 'vacancy_sync_oldest_pending_seconds'), undefined)
  })

  test('a mail that cannot be sent because no server is configured is no failed call', async () => {
    const mail = { to: 'ana@guest.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    // Other files of this process have sent mail.
    const readCalls = async () =>
      (await scrape()).samples.filter(
        ({ name, labels }) => name === 'vacancy_outside_calls_total' && labels['system'] === 'smtp',
      )
    const before = await readCalls()
    const sending = world.resources.mail.send({ ...mail, messageId: '1@vacancy.example' })
    await assert.rejects(sending, { code: 'not_configured' })
    assert.deepEqual(await readCalls(), before)
  })

  test('has no id, token or address in a label', async () => {
    const owner = await world.home.as('owner')
    await owner.get(`/api/v1/spaces?q=${world.home.id}`)
    const { text, samples } = await scrape()
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/)
    assert.ok(!text.includes(owner.token!.slice(-20)))
    const names = new Set(
      samples
        .filter(({ name }) => /^(http|vacancy)_/.test(name))
        .flatMap(({ labels }) => Object.keys(labels)),
    )
    const known = (
      'method route status le queue job task outcome code state version type provider system operation channel table ' +
      'name kind'
    ).split(' ')
    assert.deepEqual(
      [...names].filter((name) => !known.includes(name)),
      [],
    )
  })
})

suite('format of the metrics', () => {
  test('are valid and consistent after every kind of event', async (t) => {
    await using world = await openWorld({ workers: true })
    const owner = await world.home.as('owner')
    const linked = await addLinkedUnit(owner)
    await setPrice(owner, linked, 23_456)
    await owner.get('/api/v1/nothing')
    await world.settled()
    metrics.rateLimitDecided('bookings', 'refused')
    metrics.messageEnded('email', 'sent')
    metrics.deliveryEnded('retried')
    metrics.spansEnded('exported')
    const { text } = await world.caller(null).get('/metrics')
    const found = parseMetrics(text)
    assert.deepEqual(faultsOf(found), [])
    for (const name of ['vacancy_pms_calls_total', 'vacancy_outside_calls_total', 'vacancy_problems_total'])
      assert.ok(valueOf(found, name)! > 0, name)
    assert.ok(valueOf(found, 'vacancy_home_free_bytes')! > 0)
    if (!promtool) return t.diagnostic('promtool is not installed: its own rules were checked without it')
    const { code, output } = await askPromtool(['check', 'metrics'], text)
    assert.deepEqual([code, output], [0, ''])
  })

  const broken: Record<string, string> = {
    'vacancy_jobs is a counter and does not end with _total':
      '# HELP vacancy_jobs Jobs.\n# TYPE vacancy_jobs counter\nvacancy_jobs 1\n',
    'wait_ms has a unit that is not a base unit, or abbreviated':
      '# HELP wait_ms Wait.\n# TYPE wait_ms gauge\nwait_ms 1\n',
    'took_seconds[] does not add up':
      '# HELP took_seconds H.\n# TYPE took_seconds histogram\ntook_seconds_bucket{le="1"} 3\ntook_seconds_bucket{le="+Inf"} 2\ntook_seconds_sum 1\ntook_seconds_count 2\n',
    'took_seconds[] has a sum that is too small':
      '# HELP took_seconds H.\n# TYPE took_seconds histogram\ntook_seconds_bucket{le="1"} 0\ntook_seconds_bucket{le="2"} 2\ntook_seconds_bucket{le="+Inf"} 2\ntook_seconds_sum 1\ntook_seconds_count 2\n',
  }
  for (const [fault, text] of Object.entries(broken))
    test(`detects ${fault}`, () => assert.deepEqual(faultsOf(parseMetrics(text)), [fault]))
})

suite('GET /metrics: waiting jobs', () => {
  test('reports listings and jobs that wait for a worker', async () => {
    await using world = await openWorld()
    await addLinkedUnit(await world.home.as('owner'))
    await addLinkedUnit(await world.away.as('owner'))
    const found = parseMetrics((await world.caller(null).get('/metrics')).text)
    const generic = { provider: 'generic' }
    assert.equal(valueOf(found, 'vacancy_sync_pending_listings', generic), 2)
    assert.ok(valueOf(found, 'vacancy_sync_oldest_pending_seconds', generic)! > 0)
    const { samples } = found
    const waiting = samples.filter(
      ({ name, labels }) => name === 'vacancy_queue_jobs' && labels['queue'] === 'sync',
    )
    assert.ok(waiting.reduce((sum, { value }) => sum + value, 0) >= 2)
  })

  test('responds without the database, and reports it', async () => {
    await using world = await openWorld()
    await world.resources.database.close()
    const found = parseMetrics((await world.caller(null).get('/metrics')).text)
    assert.equal(valueOf(found, 'vacancy_database_up'), 0)
    for (const name of [
      'vacancy_queue_jobs',
      'vacancy_sync_pending_listings',
      'vacancy_sync_oldest_pending_seconds',
    ])
      assert.equal(valueOf(found, name), undefined)
    // What is closed already is not closed again.
    Object.assign(world.resources.database, { close: () => Promise.resolve() })
  })
})

suite('gauges of the whole installation', () => {
  test('are read again after 5 s although the clock was set back', async (context) => {
    let now = 0
    context.mock.method(performance, 'now', () => now)
    context.mock.timers.enable({ apis: ['Date'], now: 7_200_000 })
    const pipelined = context.mock.fn(() => Promise.resolve([[], [], [], []]))
    const update = backlogGauges({ pipelined } as unknown as Database, 90)
    await update()
    context.mock.timers.setTime(3_600_000)
    now += 5_000
    await update()
    assert.equal(pipelined.mock.callCount(), 2)
  })
})

suite('METRICS_TOKEN', () => {
  test('with a token, only its holder can read the metrics', async () => {
    await using world = await openWorld({ env: { METRICS_TOKEN: 'scrape-me' } })
    expectProblem(await world.caller(null).get('/metrics'), 401, 'unauthorized')
    for (const token of ['scrape-m', 'scrape-me2', (await world.home.as('owner')).token])
      expectProblem(await world.caller(token).get('/metrics'), 401, 'unauthorized')
    const { status, text } = await world.caller('scrape-me').get('/metrics')
    assert.equal(status, 200)
    assert.ok(!text.includes('scrape-me'))
  })

  test('protects the endpoint of a worker too', async () => {
    const door = await serveMonitoring({
      ports: [0],
      host: '127.0.0.1',
      token: 'scrape-me',
      version: '1',
      read: async () => {},
      readHealth: async () => ({}),
      isReady: async () => true,
    })
    try {
      assert.equal((await fetch(`${door.url}/metrics`)).status, 401)
      assert.equal((await fetch(`${door.url}/`)).status, 404)
      const answer = await fetch(`${door.url}/metrics`, { headers: { authorization: 'Bearer scrape-me' } })
      assert.ok(parseMetrics(await answer.text()).types.has('vacancy_jobs_total'))
    } finally {
      await door.close()
    }
  })
})
