import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Context, type Span } from '@opentelemetry/api'
import { openCollector } from '../test/collector.ts'
import { until } from '../test/stock.ts'
import { metricsText } from './metrics.ts'
import { openProvider, startExporter } from './telemetry-exporter.ts'
import { isDrawn, type TailLimits } from './telemetry-tail.ts'

/** Real spans, sent to a real collector over HTTP. */

const settings = { serviceName: 'vacancy', tracesUrl: null, headers: {}, timeoutMs: 2_000 }
/** At a tenth: the last 14 digits decide, from above. */
const drawnId = () => randomBytes(9).toString('hex') + 'f' + randomBytes(7).toString('hex').slice(1)
const otherId = () => randomBytes(9).toString('hex') + '0' + randomBytes(7).toString('hex').slice(1)

let sink: Awaited<ReturnType<typeof openCollector>>
before(async () => {
  sink = await openCollector()
})
after(() => sink[Symbol.asyncDispose]())

function open(limits: Partial<TailLimits> = {}, { ratio = 0.1, url = sink.url } = {}) {
  const { provider, tail } = openProvider(`${url}/v1/traces`, { ...settings, ratio }, limits)
  const tracer = provider.getTracer('test')
  const begin = (name: string, above: Context) => tracer.startSpan(name, {}, above)
  return {
    provider,
    tail,
    /** A local root: what is above it is elsewhere, and says that it wants to be kept. */
    root: (traceId: string, name = 'root') =>
      begin(
        name,
        trace.setSpan(
          ROOT_CONTEXT,
          trace.wrapSpanContext({
            traceId,
            spanId: 'b7ad6b7169203331',
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          }),
        ),
      ),
    child: (parent: Span, name = 'child') => begin(name, trace.setSpan(ROOT_CONTEXT, parent)),
  }
}

/** The names that arrived of a trace. */
const namesOf = (traceId: string) =>
  sink.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)

const counted = async (outcome: string) =>
  Number(
    new RegExp(`^vacancy_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
      await metricsText(),
    )?.[1] ?? 0,
  )

const fail = (span: Span) => {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

suite('the share', () => {
  test('is drawn by the trace id alone, whatever the flag of a caller, and by every process alike', async () => {
    const here = open()
    const there = open()
    const ids = Array.from({ length: 4_000 }, () => randomBytes(16).toString('hex'))
    for (const id of ids) {
      here.root(id, 'here').end()
      there.root(id, 'there').end()
      if (ids.indexOf(id) % 400 === 0)
        await Promise.all([here, there].map((one) => one.provider.forceFlush()))
    }
    await Promise.all([here, there].map((one) => one.provider.shutdown()))
    const drawn = ids.filter((id) => isDrawn(id, 0.1))
    assert.ok(drawn.length > 300 && drawn.length < 500, `${drawn.length} of 4000`)
    const arrived = new Map(drawn.map((id) => [id, namesOf(id).sort()]))
    for (const [id, names] of arrived) assert.deepEqual(names, ['here', 'there'], id)
    const known = new Set(ids)
    assert.equal(
      new Set(sink.spans.map(({ traceId }) => traceId).filter((id) => known.has(id))).size,
      drawn.length,
    )
  })

  test('an id that begins with a time is drawn like any other', () => {
    const ids = Array.from({ length: 20_000 }, () => `6561d2a0${randomBytes(12).toString('hex')}`)
    const drawn = ids.filter((id) => isDrawn(id, 0.1)).length
    assert.ok(drawn > 1_700 && drawn < 2_300, `${drawn} of 20000`)
  })

  test('is none at 0 and all at 1', () => {
    for (const id of ['0'.repeat(31) + '1', 'f'.repeat(32)]) {
      assert.equal(isDrawn(id, 0), false)
      assert.equal(isDrawn(id, 1), true)
    }
  })
})

suite('what fails is kept', () => {
  const ends: Record<string, (root: Span, child: Span) => void> = {
    'a root with status 404': (root, child) => {
      child.end()
      root.setAttribute('http.response.status_code', 404)
      root.end()
    },
    'a failed root': (root, child) => {
      child.end()
      fail(root)
    },
    'a failed child of a root that went well': (root, child) => {
      fail(child)
      root.end()
    },
    'a child that fails after its root has ended': (root, child) => {
      root.end()
      fail(child)
    },
  }
  for (const [what, end] of Object.entries(ends))
    test(`${what}: with all of its trace`, async () => {
      const { root, child, provider, tail } = open()
      const id = otherId()
      const top = root(id)
      child(top, 'first').end()
      end(top, child(top, 'second'))
      await provider.shutdown()
      assert.deepEqual(namesOf(id).sort(), ['first', 'root', 'second'])
      assert.deepEqual(tail.waiting(), { traces: 0, spans: 0 })
    })

  test('a child that begins when all was over shares the fate of its root, unless it fails', async () => {
    const { root, child, provider } = open()
    const [kept, left] = [otherId(), otherId()]
    const tops = [root(kept), root(left)] as const
    fail(tops[0])
    tops[1].end()
    for (const top of tops) child(top, 'late').end()
    fail(child(tops[1], 'late and failed'))
    await provider.shutdown()
    assert.deepEqual(namesOf(kept).sort(), ['late', 'root'])
    assert.deepEqual(namesOf(left), ['late and failed'])
  })

  test('what went well leaves nothing behind', async () => {
    const { root, child, provider, tail } = open()
    const id = otherId()
    const top = root(id)
    child(top).end()
    assert.deepEqual(tail.waiting(), { traces: 1, spans: 1 })
    top.end()
    assert.deepEqual(tail.waiting(), { traces: 0, spans: 0 })
    await provider.shutdown()
    assert.deepEqual(namesOf(id), [])
  })
})

suite('memory is bounded', () => {
  test('by the traces that are open: a failure beyond them still arrives', async () => {
    const { root, provider, tail } = open({ traces: 3 })
    const lost = await counted('too_many_traces')
    const roots = Array.from({ length: 10 }, () => root(otherId()))
    assert.equal(tail.waiting().traces, 3)
    const failed = otherId()
    fail(root(failed))
    for (const one of roots) one.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(failed), ['root'])
    assert.equal((await counted('too_many_traces')) - lost, 7)
  })

  test('by the spans of one trace, and of all together', async () => {
    const { root, child, provider, tail } = open({ spansOfOne: 5, spans: 12 })
    const lost = await counted('trace_full')
    const ids = [otherId(), otherId(), otherId(), otherId()]
    const roots = ids.map((id) => root(id))
    for (const top of roots) for (let nth = 0; nth < 8; nth++) child(top, `${nth}`).end()
    assert.deepEqual(tail.waiting(), { traces: 4, spans: 12 })
    assert.equal((await counted('trace_full')) - lost, 20)
    fail(child(roots[0]!, 'failed'))
    for (const top of roots) top.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(ids[0]!), ['0', '1', '2', '3', '4', 'failed', 'root'])
    assert.deepEqual(tail.waiting(), { traces: 0, spans: 0 })
  })

  test('by age: a root that never ends is let go, and what fails beneath it later still arrives', async () => {
    let now = 0
    const { root, child, provider, tail } = open({ ageMs: 1_000, now: () => now })
    const lost = await counted('too_late')
    const id = otherId()
    const endless = root(id)
    for (let nth = 0; nth < 4; nth++) child(endless).end()
    now = 999
    root(otherId()).end()
    assert.deepEqual(tail.waiting(), { traces: 1, spans: 4 })
    now = 1_001
    root(otherId()).end()
    assert.deepEqual(tail.waiting(), { traces: 0, spans: 0 })
    child(endless).end()
    assert.equal((await counted('too_late')) - lost, 5)
    fail(child(endless, 'failed'))
    endless.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(id), ['failed', 'root'])
  })
})

suite('a collector that is away', () => {
  for (const [what, mood] of [
    ['hangs', { hangs: true, status: 200 }],
    ['answers with 500', { hangs: false, status: 500 }],
  ] as const)
    test(`and ${what}: no more than 2,048 spans wait, and the rest is counted`, async () => {
      await using away = await openCollector()
      Object.assign(away.mood, mood)
      const { root, provider } = open({}, { ratio: 1, url: away.url })
      const [full, failed] = [await counted('queue_full'), await counted('export_failed')]
      for (let nth = 0; nth < 5_000; nth++) root(otherId()).end()
      assert.equal((await counted('queue_full')) - full, 5_000 - 2_048)
      await provider.shutdown().catch(() => {})
      await until(
        () => counted('export_failed'),
        (count) => count - failed === 2_048,
      )
    })

  test('does not hold up a process that stops, nor make it fail', async () => {
    await using away = await openCollector()
    away.mood.status = 400
    const end = startExporter(`${away.url}/v1/traces`, { ...settings, ratio: 1 })
    trace.getTracer('vacancy').startSpan('last').end()
    await end()
    assert.equal(away.requests.length, 1)
    // Nothing is left behind that would take the spans of a next start.
    await using sound = await openCollector()
    const again = startExporter(`${sound.url}/v1/traces`, { ...settings, ratio: 1 })
    trace.getTracer('vacancy').startSpan('first').end()
    await again()
    assert.deepEqual(
      sound.spans.map(({ name }) => name),
      ['first'],
    )
  })

  test('takes what comes once it is back', async () => {
    await using back = await openCollector()
    back.mood.status = 400
    const { root, provider } = open({}, { ratio: 1, url: back.url })
    root(drawnId(), 'lost').end()
    await provider.forceFlush().catch(() => {})
    back.mood.status = 200
    root(drawnId(), 'heard').end()
    await provider.shutdown()
    assert.deepEqual(
      back.spans.map(({ name }) => name),
      ['heard'],
    )
  })
})
