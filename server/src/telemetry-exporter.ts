import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Config } from './config.ts'
import { metrics } from './metrics.ts'
import { TailDecision, type TailLimits } from './telemetry-tail.ts'

/** More than this does not wait for the collector. */
const mostWaiting = 2_048
/** A process that stops does not wait longer for a collector that is away. */
const lastWordsMs = 2_000

/** Makes the spans of this process go to the collector. Returns what sends the last ones and stops it. */
export function startExporter(tracesUrl: string, telemetry: Config['telemetry']): () => Promise<void> {
  const { provider } = openProvider(tracesUrl, telemetry)
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return async () => {
    trace.disable()
    context.disable()
    const late = new Promise<void>((resolve) => setTimeout(resolve, lastWordsMs).unref())
    await Promise.race([provider.shutdown().catch(() => {}), late])
  }
}

export function openProvider(
  tracesUrl: string,
  { headers, serviceName, timeoutMs, ratio }: Config['telemetry'],
  limits?: Partial<TailLimits>,
) {
  const exporter = new OTLPTraceExporter({
    url: tracesUrl,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
  })
  const tail = new TailDecision(bounded(exporter), ratio, limits)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    // The flag of a caller is not heard: who may decide what is kept decides what it costs.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [tail],
  })
  return { provider, tail }
}

/** Counts what is taken and what is lost; what is on its way counts as waiting too. */
function bounded(exporter: SpanExporter) {
  let waiting = 0
  const counting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        waiting -= spans.length
        const isSent = !result.error && result.code === ExportResultCode.SUCCESS
        metrics.spansEnded(isSent ? 'exported' : 'export_failed', spans.length)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
  const batches = new BatchSpanProcessor({ exporter: counting, maxQueueSize: mostWaiting })
  return {
    onEnd(span: ReadableSpan) {
      if (waiting >= mostWaiting) return metrics.spansEnded('queue_full')
      waiting++
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}
