import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { openCollector, type SentSpan } from '#test/collector.ts'
import { addListing, addUnit } from '#test/records.ts'
import { callsFor, historyOf, addLinkedUnit, until } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { startTrace, parseTraceparent, startTelemetry } from './tracing.ts'

/** Sampling depends on the end of the id: at a half, f… is kept and 0… is not. */
const traceId = (drawn: '0' | 'f') =>
  randomBytes(9).toString('hex') + drawn + randomBytes(7).toString('hex').slice(1)
/** The names of the spans from the caller's trace down, each the parent of the next. */
function chainOf(spans: SentSpan[], above = '00f067aa0ba902b7'): string[] {
  const next = spans.find(
    ({ parentSpanId, name }) => parentSpanId === above && !name.startsWith('postgresql'),
  )
  return next ? [next.name, ...chainOf(spans, next.spanId)] : []
}

const parent = (id: string) => `00-${id}-00f067aa0ba902b7-01`

suite('traces', () => {
  let world: World
  let sink: Awaited<ReturnType<typeof openCollector>>
  before(async () => {
    sink = await openCollector()
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=stock%20room',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    }
    world = await openWorld({ workers: true, env })
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  test('without a collector the trace of the caller is passed on to the PMS, and nothing is exported', async () => {
    const owner = await world.home.as('owner')
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const id = traceId('f')
    const change = await owner.patch(
      `/api/v1/units/${linked.unitId}`,
      { name: 'New' },
      { traceparent: parent(id) },
    )
    assert.equal(change.status, 200, change.text)
    await world.settled()
    const seen = (await callsFor(world, linked)).map((call) => parseTraceparent(call.traceparent)?.traceId)
    assert.equal(seen.at(-1), id)
    assert.equal((await historyOf(owner, linked)).at(-1)!.trace_id, id)
    assert.deepEqual(sink.requests, [])
  })

  test('one trace spans the request, the job and the PMS call; failed traces are kept', async () => {
    const stop = await startTelemetry(world.config)
    const owner = await world.home.as('owner')
    const linked = await addLinkedUnit(owner)
    await world.settled()
    const [drawn, good, bad, refused] = [traceId('f'), traceId('0'), traceId('0'), traceId('0')]
    const both = [traceId('f'), traceId('f')]
    await owner.patch(`/api/v1/units/${linked.unitId}`, { name: 'Drawn' }, { traceparent: parent(drawn) })
    await world.settled()
    await owner.patch(`/api/v1/units/${linked.unitId}`, { name: 'Good' }, { traceparent: parent(good) })
    await world.settled()
    await changeBoth(world, both)
    await owner.get('/api/v1/units/none', { traceparent: parent(refused) })
    await fetch(`${world.pms.url}/_control/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ property: linked.targetId, mode: 'refuse', status: 422 }),
    })
    const price = { base_price_cents: 99 }
    await owner.patch(`/api/v1/units/${linked.unitId}`, price, { traceparent: parent(bad) })
    await world.settled()
    await stop()
    const of = (id: string) => sink.spans.filter((span) => span.traceId === id)
    await until(
      async () => of(bad).length,
      (count) => count > 1,
    )
    assert.deepEqual(of(good), [])
    assert.equal(
      of(refused)
        .map(({ name }) => name)
        .find((name) => name.startsWith('GET')),
      'GET /api/v1/units/:id',
    )
    const [call, job] = ['PMS PATCH', 'sync-target'].map((name) => of(bad).find((span) => span.name === name))
    assert.ok(call && job, JSON.stringify(of(bad).map(({ name }) => name)))
    assert.equal(call.parentSpanId, job.spanId)
    assert.deepEqual(chainOf(of(drawn)), ['PATCH /api/v1/units/:id', 'sync-target', 'PMS PATCH'])
    // One job makes the calls of both: the trace that began it goes through it, the other one past it.
    const chains = both.map((id) => chainOf(of(id)).join(' → '))
    assert.deepEqual(chains, [
      'PATCH /api/v1/units/:id → sync-target → PMS PATCH',
      'PATCH /api/v1/units/:id → PMS PATCH',
    ])
    const sent = (await callsFor(world, linked)).map((one) => parseTraceparent(one.traceparent))
    assert.deepEqual(sent.at(-1), { traceId: bad, spanId: call.spanId })
    assert.equal(sink.requests[0]!.headers['x-team'], 'stock room')
    assert.equal(sink.requests[0]!.path, '/v1/traces')
  })
})

/** Changes two units of one target: without a worker meanwhile, one job waits for both changes. */
async function changeBoth(world: World, ids: readonly string[]): Promise<void> {
  const owner = await world.home.as('owner')
  const { spaceId, unitId, targetId } = await addLinkedUnit(owner, { debounce_ms: 0 })
  const other = (await addUnit(owner, { space_id: spaceId })).id as string
  await addListing(owner, { unit_id: other, channel_target_id: targetId })
  await world.settled()
  await world.withoutWorkers(async () => {
    for (const [at, unit] of [unitId, other].entries())
      await owner.patch(`/api/v1/units/${unit}`, { name: `Both ${at}` }, { traceparent: parent(ids[at]!) })
  })
  await world.settled()
}

suite('traceparent', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736'
  for (const header of [
    undefined,
    '',
    '00',
    `01-${id}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${id}-00f067aa0ba902b7-01-x`,
    `00-${id}-00f067aa0ba902b7-01\n`,
  ])
    test(`${JSON.stringify(header)} is ignored: a new trace starts`, () => {
      assert.equal(parseTraceparent(header), null)
      assert.notEqual(startTrace('x', 'server', header).traceId, id)
    })
})
