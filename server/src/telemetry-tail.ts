import { SpanStatusCode, trace, type Context } from '@opentelemetry/api'
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace'
import { metrics, type SpanOutcome } from './metrics.ts'

/** How much may wait for the end of its trace. */
export interface TailLimits {
  readonly traces: number
  /** Of one trace. */
  readonly spansOfOne: number
  /** Of all traces together. */
  readonly spans: number
  readonly ageMs: number
  now(): number
}

const usual: TailLimits = {
  traces: 2_000,
  spansOfOne: 200,
  spans: 10_000,
  ageMs: 600_000,
  now: () => performance.now(),
}

/** What one local root (a request, a job) and all beneath it have in this process of a trace. */
interface Part {
  readonly beganAt: number
  running: number
  held: ReadableSpan[]
  /** Undecided while it is open: spans wait in `held`. */
  fate: 'open' | 'kept' | 'left'
  /** What becomes of its spans once it is left. */
  outcome: SpanOutcome
}

/**
 * Keeps the share that is drawn by the trace id, and whatever fails. A span that is not drawn waits until its local
 * root and all beneath it have ended: one failure, however late, keeps them all; without one they go together.
 */
export class TailDecision implements SpanProcessor {
  readonly #next: Pick<SpanProcessor, 'onEnd' | 'forceFlush' | 'shutdown'>
  readonly #ratio: number
  readonly #limits: TailLimits
  /** The oldest first. */
  readonly #open = new Set<Part>()
  /** Nothing is held for a span that nobody holds: a root that never ends leaves no more than its part. */
  readonly #partOf = new WeakMap<object, Part>()
  #held = 0

  constructor(
    next: Pick<SpanProcessor, 'onEnd' | 'forceFlush' | 'shutdown'>,
    ratio: number,
    limits: Partial<TailLimits> = {},
  ) {
    this.#next = next
    this.#ratio = ratio
    this.#limits = { ...usual, ...limits }
  }

  onStart(span: Span, above: Context): void {
    this.#leaveTheOld()
    const parent = trace.getSpan(above)
    const part = (parent && this.#partOf.get(parent)) ?? this.#begin(span.spanContext().traceId)
    part.running++
    this.#partOf.set(span, part)
  }

  onEnd(span: ReadableSpan): void {
    const part = this.#partOf.get(span)
    if (!part) return
    part.running--
    if (part.fate !== 'kept' && hasFailed(span)) this.#keep(part)
    if (part.fate === 'kept') this.#next.onEnd(span)
    else if (part.fate === 'left') metrics.spansEnded(part.outcome)
    else this.#hold(part, span)
    if (part.fate === 'open' && part.running === 0) this.#leave(part, 'not_drawn')
  }

  /** How much waits. */
  waiting = () => ({ traces: this.#open.size, spans: this.#held })
  forceFlush = () => this.#next.forceFlush()
  shutdown = () => this.#next.shutdown()

  #begin(traceId: string): Part {
    const part = { beganAt: this.#limits.now(), running: 0, held: [], outcome: 'not_drawn' as const }
    if (isDrawn(traceId, this.#ratio)) return { ...part, fate: 'kept' }
    if (this.#open.size >= this.#limits.traces) return { ...part, fate: 'left', outcome: 'too_many_traces' }
    const open: Part = { ...part, fate: 'open' }
    this.#open.add(open)
    return open
  }

  #hold(part: Part, span: ReadableSpan): void {
    if (part.held.length >= this.#limits.spansOfOne || this.#held >= this.#limits.spans)
      return metrics.spansEnded('trace_full')
    part.held.push(span)
    this.#held++
  }

  #keep(part: Part): void {
    part.fate = 'kept'
    for (const span of this.#release(part)) this.#next.onEnd(span)
  }

  #leave(part: Part, outcome: SpanOutcome): void {
    part.fate = 'left'
    part.outcome = outcome
    const { length } = this.#release(part)
    if (length > 0) metrics.spansEnded(outcome, length)
  }

  #release(part: Part): ReadableSpan[] {
    const { held } = part
    part.held = []
    this.#held -= held.length
    this.#open.delete(part)
    return held
  }

  #leaveTheOld(): void {
    const limit = this.#limits.now() - this.#limits.ageMs
    for (const part of this.#open) {
      if (part.beganAt > limit) return
      this.#leave(part, 'too_late')
    }
  }
}

const hasFailed = (span: ReadableSpan) =>
  span.status.code === SpanStatusCode.ERROR ||
  Number(span.attributes['http.response.status_code'] ?? 0) >= 400

/**
 * The same for every process that sees the id. By its end, which is random also where the beginning is a time; and
 * from above, as other samplers of W3C ids do, so that a collector that draws again draws the same ones.
 */
export const isDrawn = (traceId: string, ratio: number): boolean =>
  parseInt(traceId.slice(18, 31), 16) >= (1 - ratio) * 2 ** 52
