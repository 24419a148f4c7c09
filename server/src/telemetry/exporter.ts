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
import type { Config } from '#config/config.ts'
import { metrics } from './metrics.ts'
import { TailSampler, type TailLimits } from './tail-sampling.ts'

/** Spans beyond this are dropped while the collector is slow or unreachable. */
const maxQueuedSpans = 2_048
/** How long a stopping process waits for the collector to take its last spans. */
const shutdownTimeoutMs = 2_000

type ExporterSettings = Omit<Config['telemetry'], 'collectorUrl' | 'tracesUrl'>

/** Exports the spans of this process to the collector. Returns a function that flushes and stops. */
export function startExporter(tracesUrl: string, telemetry: ExporterSettings): () => Promise<void> {
  const { provider } = openProvider(tracesUrl, telemetry)
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return async () => {
    trace.disable()
    context.disable()
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, shutdownTimeoutMs).unref())
    await Promise.race([provider.shutdown().catch(() => {}), timeout])
  }
}

export function openProvider(
  tracesUrl: string,
  { headers, tracesHeaders, serviceName, timeoutMs, samplingRatio }: ExporterSettings,
  limits?: Partial<TailLimits>,
) {
  const exporter = new OTLPTraceExporter({
    url: tracesUrl,
    headers: { ...headers, ...tracesHeaders },
    timeoutMillis: timeoutMs,
  })
  const tail = new TailSampler(boundedExporter(exporter), samplingRatio, limits)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    // The sampled flag of a caller is ignored: otherwise any caller could make us store every trace.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [tail],
  })
  return { provider, tail }
}

/** Limits how many spans are queued or being sent, and counts those that are exported and dropped. */
function boundedExporter(exporter: SpanExporter) {
  let queued = 0
  const counting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        queued -= spans.length
        const isSent = !result.error && result.code === ExportResultCode.SUCCESS
        metrics.spansEnded(isSent ? 'exported' : 'export_failed', spans.length)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
  const batches = new BatchSpanProcessor({ exporter: counting, maxQueueSize: maxQueuedSpans })
  return {
    onEnd(span: ReadableSpan) {
      if (queued >= maxQueuedSpans) return metrics.spansEnded('queue_full')
      queued++
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}
