import {
  context,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type Span,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace'
import type { Config } from './config.ts'

/** Sends spans to the collector. Returns what flushes and stops it. */
export function startExporter(endpoint: string, telemetry: Config['telemetry']): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...telemetry.headers },
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': telemetry.serviceName }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new TailDecision(new BatchSpanProcessor({ exporter }), telemetry.ratio)],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return () => provider.shutdown()
}

/**
 * Decides when nothing of a trace is open in this process: all that ended is kept when any span failed, else the
 * configured share, chosen by the trace id so that every process chooses alike. At most 2,000 open traces are held.
 */
class TailDecision implements SpanProcessor {
  readonly #open = new Map<string, { running: number; ended: ReadableSpan[]; failed: boolean }>()
  readonly #next: SpanProcessor
  readonly #ratio: number

  constructor(next: SpanProcessor, ratio: number) {
    this.#next = next
    this.#ratio = ratio
  }

  onStart(span: Span, _parent: Context): void {
    const { traceId } = span.spanContext()
    const open = this.#open.get(traceId)
    if (open) open.running++
    else if (this.#open.size < 2_000) this.#open.set(traceId, { running: 1, ended: [], failed: false })
  }

  onEnd(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    const open = this.#open.get(traceId)
    if (!open) return
    open.ended.push(span)
    open.failed ||= failed(span)
    if (--open.running > 0) return
    this.#open.delete(traceId)
    if (open.failed || chosen(span.spanContext(), this.#ratio))
      open.ended.forEach((one) => this.#next.onEnd(one))
  }

  forceFlush = () => this.#next.forceFlush()
  shutdown = () => this.#next.shutdown()
}

const failed = (span: ReadableSpan) =>
  span.status.code === SpanStatusCode.ERROR ||
  Number(span.attributes['http.response.status_code'] ?? 0) >= 400

const chosen = ({ traceId, traceFlags }: SpanContext, ratio: number) =>
  Boolean(traceFlags & TraceFlags.SAMPLED) && parseInt(traceId.slice(0, 8), 16) / 0x1_0000_0000 < ratio
