import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Context, type Span } from '@opentelemetry/api'
import { openCollector } from '#test/collector.ts'
import { metricsText } from './metrics.ts'
import { openProvider } from './exporter.ts'
import { isSampled, type TailLimits } from './tail-sampling.ts'

/** Real spans, sent to a real collector over HTTP. */

const settings = { serviceName: 'vacancy', headers: {}, tracesHeaders: {}, timeoutMs: 2_000 }
/** Not sampled at a tenth: the first of the last 14 digits, which decide, is 0. */
const otherId = () => randomBytes(9).toString('hex') + '0' + randomBytes(7).toString('hex').slice(1)

let sink: Awaited<ReturnType<typeof openCollector>>
before(async () => {
  sink = await openCollector()
})
after(() => sink[Symbol.asyncDispose]())

function open(limits: Partial<TailLimits> = {}, { ratio = 0.1, url = sink.url } = {}) {
  const { provider, tail } = openProvider(`${url}/v1/traces`, { ...settings, samplingRatio: ratio }, limits)
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

suite('the sampling decision', () => {
  test('depends on the trace id only, not on the sampled flag of a caller, and is the same in every process', async () => {
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
    const drawn = ids.filter((id) => isSampled(id, 0.1))
    assert.ok(drawn.length > 300 && drawn.length < 500, `${drawn.length} of 4000`)
    const arrived = new Map(drawn.map((id) => [id, namesOf(id).sort()]))
    for (const [id, names] of arrived) assert.deepEqual(names, ['here', 'there'], id)
    const known = new Set(ids)
    assert.equal(
      new Set(sink.spans.map(({ traceId }) => traceId).filter((id) => known.has(id))).size,
      drawn.length,
    )
  })

  test('samples ids that begin with a timestamp like any other', () => {
    const ids = Array.from({ length: 20_000 }, () => `6561d2a0${randomBytes(12).toString('hex')}`)
    const drawn = ids.filter((id) => isSampled(id, 0.1)).length
    assert.ok(drawn > 1_700 && drawn < 2_300, `${drawn} of 20000`)
  })

  test('keeps none at 0 and all at 1', () => {
    for (const id of ['0'.repeat(31) + '1', 'f'.repeat(32)]) {
      assert.equal(isSampled(id, 0), false)
      assert.equal(isSampled(id, 1), true)
    }
  })
})

suite('traces with a failure are kept', () => {
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
    test(`${what}: the whole trace is kept`, async () => {
      const { root, child, provider, tail } = open()
      const id = otherId()
      const top = root(id)
      child(top, 'first').end()
      end(top, child(top, 'second'))
      await provider.shutdown()
      assert.deepEqual(namesOf(id).sort(), ['first', 'root', 'second'])
      assert.deepEqual(tail.buffered(), { traces: 0, spans: 0 })
    })

  test('a child that starts after its root has ended follows the decision of its root, unless it fails', async () => {
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

  test('a trace without a failure is dropped', async () => {
    const { root, child, provider, tail } = open()
    const id = otherId()
    const top = root(id)
    child(top).end()
    assert.deepEqual(tail.buffered(), { traces: 1, spans: 1 })
    top.end()
    assert.deepEqual(tail.buffered(), { traces: 0, spans: 0 })
    await provider.shutdown()
    assert.deepEqual(namesOf(id), [])
  })
})

suite('memory is bounded', () => {
  test('by the number of pending traces: a failure beyond them is still exported', async () => {
    const { root, provider, tail } = open({ traces: 3 })
    const lost = await counted('too_many_traces')
    const roots = Array.from({ length: 10 }, () => root(otherId()))
    assert.equal(tail.buffered().traces, 3)
    const failed = otherId()
    fail(root(failed))
    for (const one of roots) one.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(failed), ['root'])
    assert.equal((await counted('too_many_traces')) - lost, 7)
  })

  test('by the spans of one trace and of all traces', async () => {
    const { root, child, provider, tail } = open({ spansPerTrace: 5, spans: 12 })
    const lost = await counted('trace_full')
    const ids = [otherId(), otherId(), otherId(), otherId()]
    const roots = ids.map((id) => root(id))
    for (const top of roots) for (let nth = 0; nth < 8; nth++) child(top, `${nth}`).end()
    assert.deepEqual(tail.buffered(), { traces: 4, spans: 12 })
    assert.equal((await counted('trace_full')) - lost, 20)
    fail(child(roots[0]!, 'failed'))
    for (const top of roots) top.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(ids[0]!), ['0', '1', '2', '3', '4', 'failed', 'root'])
    assert.deepEqual(tail.buffered(), { traces: 0, spans: 0 })
  })

  test('by age: a root that never ends is dropped, and later failures beneath it are still exported', async () => {
    let now = 0
    const { root, child, provider, tail } = open({ maxAgeMs: 1_000, now: () => now })
    const lost = await counted('too_late')
    const id = otherId()
    const endless = root(id)
    for (let nth = 0; nth < 4; nth++) child(endless).end()
    now = 999
    root(otherId()).end()
    assert.deepEqual(tail.buffered(), { traces: 1, spans: 4 })
    now = 1_010
    root(otherId()).end()
    assert.deepEqual(tail.buffered(), { traces: 0, spans: 0 })
    child(endless).end()
    assert.equal((await counted('too_late')) - lost, 5)
    fail(child(endless, 'failed'))
    endless.end()
    await provider.shutdown()
    assert.deepEqual(namesOf(id), ['failed', 'root'])
  })
})
