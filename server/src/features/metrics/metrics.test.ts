import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { listenForScrapes } from '#http/scraping.ts'
import { expectProblem } from '../../../test/expect.ts'
import { unknownId } from '../../../test/records.ts'
import { link, setPrice } from '../../../test/stock.ts'
import { openWorld, type World } from '../../../test/world.ts'

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** A strict reader of the text format 0.0.4: what it does not know is an error. */
function parse(text: string): { samples: Sample[]; types: Map<string, string> } {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const types = new Map<string, string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  let family = ''
  for (const line of text.split('\n').filter(Boolean)) {
    const meta = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (meta?.[1] === 'HELP') family = meta[2]!
    else if (meta) {
      assert.equal(meta[2], family, `TYPE follows its HELP: ${line}`)
      assert.match(meta[3]!, /^(counter|gauge|histogram|summary)$/)
      assert.ok(!types.has(family), `${family} comes twice`)
      types.set(family, meta[3]!)
    } else {
      // Prometheus reads `Nan` too: the library writes it so before anything was measured.
      const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|-?[\d.]+(?:e[+-]?\d+)?)$/.exec(line)
      assert.ok(found, `not a sample: ${line}`)
      const [, name, labelled = '', value] = found
      assert.match(name!, new RegExp(`^${family}(_bucket|_sum|_count)?$`))
      assert.match(labelled, /^([a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(,|$))*$/)
      const pairs = [...labelled.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)]
      assert.ok(!seen.has(`${name}{${labelled}}`), `${line} comes twice`)
      seen.add(`${name}{${labelled}}`)
      samples.push({
        name: name!,
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
        value: Number(value),
      })
    }
  }
  return { samples, types }
}

const valueOf = ({ samples }: { samples: Sample[] }, name: string, labels: Record<string, string> = {}) =>
  samples
    .filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    )
    .reduce<number | undefined>((sum, { value }) => (sum ?? 0) + value, undefined)

suite('GET /metrics', () => {
  let world: World
  const scrape = async () => {
    const reply = await world.caller(null).get('/metrics')
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return { text: reply.text, ...parse(reply.text) }
  }
  before(async () => (world = await openWorld({ workers: true })))
  after(() => world[Symbol.asyncDispose]())

  test('is 200 without more, and reads as Prometheus text', async () => {
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

  test('counts requests by method, template and status, whatever the ids; what has no route is one', async () => {
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

  test('counts jobs and pushes, and shows what waits', async () => {
    const owner = await world.home.as('owner')
    const linked = await link(owner)
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

  test('names nobody: no id, token or address is in a label', async () => {
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
    const known = ['method', 'route', 'status', 'le', 'queue', 'job', 'outcome', 'code', 'state', 'version']
    assert.deepEqual(
      [...names].filter((name) => !known.includes(name)),
      [],
    )
  })
})

suite('GET /metrics of what waits', () => {
  test('listings without a worker are behind, and so is the queue', async () => {
    await using world = await openWorld()
    await link(await world.home.as('owner'))
    await link(await world.away.as('owner'))
    const found = parse((await world.caller(null).get('/metrics')).text)
    assert.equal(valueOf(found, 'vacancy_sync_pending_listings'), 2)
    assert.ok(valueOf(found, 'vacancy_sync_oldest_pending_seconds')! > 0)
    const { samples } = found
    const waiting = samples.filter(
      ({ name, labels }) => name === 'vacancy_queue_jobs' && labels['queue'] === 'sync',
    )
    assert.ok(waiting.reduce((sum, { value }) => sum + value, 0) >= 2)
  })

  test('without the database it still answers, and says so', async () => {
    await using world = await openWorld()
    await world.resources.database.close()
    const found = parse((await world.caller(null).get('/metrics')).text)
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

suite('METRICS_TOKEN', () => {
  test('with a token, only who has it is shown the figures', async () => {
    await using world = await openWorld({ env: { METRICS_TOKEN: 'scrape-me' } })
    expectProblem(await world.caller(null).get('/metrics'), 401, 'unauthorized')
    for (const token of ['scrape-m', 'scrape-me2', (await world.home.as('owner')).token])
      expectProblem(await world.caller(token).get('/metrics'), 401, 'unauthorized')
    const { status, text } = await world.caller('scrape-me').get('/metrics')
    assert.equal(status, 200)
    assert.ok(!text.includes('scrape-me'))
  })

  test('a worker has a door of its own, with the same lock', async () => {
    const door = await listenForScrapes({ port: 0, host: '127.0.0.1', token: 'scrape-me', version: '1' })
    try {
      assert.equal((await fetch(door.url)).status, 401)
      assert.equal((await fetch(door.url.replace('/metrics', '/'))).status, 404)
      const answer = await fetch(door.url, { headers: { authorization: 'Bearer scrape-me' } })
      assert.ok(parse(await answer.text()).types.has('vacancy_jobs_total'))
    } finally {
      await door.close()
    }
  })
})
