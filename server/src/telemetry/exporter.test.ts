import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { trace } from '@opentelemetry/api'
import { openCollector } from '#test/collector.ts'
import { until } from '#test/linked-units.ts'
import { metricsText } from './metrics.ts'
import { openProvider, startExporter } from './exporter.ts'

const settings = { serviceName: 'vacancy', headers: {}, tracesHeaders: {}, timeoutMs: 2_000 }

/** Every trace is exported; each call ends one span. */
function open(url: string) {
  const { provider } = openProvider(`${url}/v1/traces`, { ...settings, samplingRatio: 1 })
  const tracer = provider.getTracer('test')
  return { provider, leave: (name: string) => tracer.startSpan(name).end() }
}

const counted = async (outcome: string) =>
  Number(
    new RegExp(`^vacancy_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
      await metricsText(),
    )?.[1] ?? 0,
  )

suite('an unavailable collector', () => {
  for (const [what, behavior] of [
    ['hangs', { hangs: true, status: 200 }],
    ['answers with 500', { hangs: false, status: 500 }],
  ] as const)
    test(`and ${what}: at most 2,048 spans are queued, and the dropped ones are counted`, async () => {
      await using away = await openCollector()
      Object.assign(away.behavior, behavior)
      const { leave, provider } = open(away.url)
      const [full, failed] = [await counted('queue_full'), await counted('export_failed')]
      for (let nth = 0; nth < 5_000; nth++) leave('one')
      assert.equal((await counted('queue_full')) - full, 5_000 - 2_048)
      await provider.shutdown().catch(() => {})
      await until(
        () => counted('export_failed'),
        (count) => count - failed === 2_048,
      )
    })

  test('neither delays nor fails the shutdown', async () => {
    await using away = await openCollector()
    away.behavior.status = 400
    const end = startExporter(`${away.url}/v1/traces`, { ...settings, samplingRatio: 1 })
    trace.getTracer('vacancy').startSpan('last').end()
    await end()
    assert.equal(away.requests.length, 1)
    // Nothing is left behind that would take the spans of a next start.
    await using sound = await openCollector()
    const again = startExporter(`${sound.url}/v1/traces`, { ...settings, samplingRatio: 1 })
    trace.getTracer('vacancy').startSpan('first').end()
    await again()
    assert.deepEqual(
      sound.spans.map(({ name }) => name),
      ['first'],
    )
  })

  test('receives new spans once it is back', async () => {
    await using back = await openCollector()
    back.behavior.status = 400
    const { leave, provider } = open(back.url)
    leave('lost')
    await provider.forceFlush().catch(() => {})
    back.behavior.status = 200
    leave('received')
    await provider.shutdown()
    assert.deepEqual(
      back.spans.map(({ name }) => name),
      ['received'],
    )
  })
})
