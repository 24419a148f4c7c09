import { SpanStatusCode, trace, type Context } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { metrics, type ExportOutcome } from './metrics.ts'

/** How much is buffered until its trace has ended. */
export interface TailLimits {
  readonly traces: number
  readonly spansPerTrace: number
  /** In all traces together. */
  readonly spans: number
  readonly maxAgeMs: number
  now(): number
}

const defaultLimits: TailLimits = {
  traces: 2_000,
  spansPerTrace: 200,
  spans: 10_000,
  maxAgeMs: 600_000,
  now: () => performance.now(),
}

/** The part of a trace in this process: a local root (a request, a job) and its descendants. */
interface TraceFragment {
  readonly startedAt: number
  /** Spans that have started and not ended. */
  running: number
  buffered: ReadableSpan[]
  /** While it is pending, ended spans are buffered. */
  decision: 'pending' | 'kept' | 'dropped'
  /** Why its spans were dropped, for the metric. */
  outcome: ExportOutcome
}

/** A member of the span: a WeakMap would keep the fragments of ended spans until the next full garbage collection. */
const fragmentKey = Symbol('trace fragment')
const fragmentOf = (span: object) => (span as { [fragmentKey]?: TraceFragment })[fragmentKey]

/**
 * Keeps the traces that their id selects, and every trace with a failure. Spans of other traces are buffered until their
 * local root and all its descendants have ended: one failure keeps them all, otherwise they are dropped.
 */
export class TailSampler implements SpanProcessor {
  readonly #next: Pick<SpanProcessor, 'onEnd' | 'forceFlush' | 'shutdown'>
  readonly #ratio: number
  readonly #limits: TailLimits
  /** Pending fragments, the oldest first. */
  readonly #pending = new Set<TraceFragment>()
  #bufferedCount = 0
  #expiryCheckedAt = 0

  constructor(
    next: Pick<SpanProcessor, 'onEnd' | 'forceFlush' | 'shutdown'>,
    ratio: number,
    limits: Partial<TailLimits> = {},
  ) {
    this.#next = next
    this.#ratio = ratio
    this.#limits = { ...defaultLimits, ...limits }
  }

  onStart(span: Span, parentContext: Context): void {
    this.#dropExpired()
    const parent = trace.getSpan(parentContext)
    const fragment = (parent && fragmentOf(parent)) ?? this.#startFragment(span.spanContext().traceId)
    fragment.running++
    Object.assign(span, { [fragmentKey]: fragment })
  }

  onEnd(span: ReadableSpan): void {
    const fragment = fragmentOf(span)
    if (!fragment) return
    fragment.running--
    if (fragment.decision !== 'kept' && isFailure(span)) this.#keep(fragment)
    if (fragment.decision === 'kept') this.#next.onEnd(span)
    else if (fragment.decision === 'dropped') metrics.spansEnded(fragment.outcome)
    else this.#buffer(fragment, span)
    if (fragment.decision === 'pending' && fragment.running === 0) this.#drop(fragment, 'not_drawn')
  }

  buffered = () => ({ traces: this.#pending.size, spans: this.#bufferedCount })
  forceFlush = () => this.#next.forceFlush()
  shutdown = () => this.#next.shutdown()

  #startFragment(traceId: string): TraceFragment {
    const fragment = {
      startedAt: this.#limits.now(),
      running: 0,
      buffered: [],
      outcome: 'not_drawn' as const,
    }
    if (isSampled(traceId, this.#ratio)) return { ...fragment, decision: 'kept' }
    if (this.#pending.size >= this.#limits.traces)
      return { ...fragment, decision: 'dropped', outcome: 'too_many_traces' }
    const pending: TraceFragment = { ...fragment, decision: 'pending' }
    this.#pending.add(pending)
    return pending
  }

  #buffer(fragment: TraceFragment, span: ReadableSpan): void {
    if (fragment.buffered.length >= this.#limits.spansPerTrace || this.#bufferedCount >= this.#limits.spans)
      return metrics.spansEnded('trace_full')
    fragment.buffered.push(span)
    this.#bufferedCount++
  }

  #keep(fragment: TraceFragment): void {
    fragment.decision = 'kept'
    for (const span of this.#takeBuffered(fragment)) this.#next.onEnd(span)
  }

  #drop(fragment: TraceFragment, outcome: ExportOutcome): void {
    fragment.decision = 'dropped'
    fragment.outcome = outcome
    const { length } = this.#takeBuffered(fragment)
    if (length > 0) metrics.spansEnded(outcome, length)
  }

  #takeBuffered(fragment: TraceFragment): ReadableSpan[] {
    const { buffered } = fragment
    fragment.buffered = []
    this.#bufferedCount -= buffered.length
    this.#pending.delete(fragment)
    return buffered
  }

  /** Not for each span: finding the first fragment passes over those that were deleted. */
  #dropExpired(): void {
    const { maxAgeMs } = this.#limits
    const now = this.#limits.now()
    if (now - this.#expiryCheckedAt < maxAgeMs / 100) return
    this.#expiryCheckedAt = now
    const limit = now - maxAgeMs
    for (const fragment of this.#pending) {
      if (fragment.startedAt > limit) return
      this.#drop(fragment, 'too_late')
    }
  }
}

const isFailure = (span: ReadableSpan) =>
  span.status.code === SpanStatusCode.ERROR ||
  Number(span.attributes['http.response.status_code'] ?? 0) >= 400

/**
 * The same decision in every process that sees the id. It uses the end of the id, because some generators begin it with a
 * time, and keeps the highest values, as other samplers of W3C ids do, so that a collector that samples again keeps the same.
 */
export const isSampled = (traceId: string, ratio: number): boolean =>
  parseInt(traceId.slice(18, 31), 16) >= (1 - ratio) * 2 ** 52
