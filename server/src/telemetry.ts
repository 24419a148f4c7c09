import { randomFillSync } from 'node:crypto'
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
} from '@opentelemetry/api'
import type { Config } from './config.ts'

/**
 * Traces: W3C context from the request through the job to the PMS call. Without a collector only the ids
 * travel, so that the audit can name them; the SDK is loaded when there is one.
 */
export interface Trace {
  readonly traceparent: string
  readonly traceId: string
  readonly span: Span | null
}

let exporting = false

/** Starts the exporter when a collector is configured. Call once, before the first request. */
export async function startTelemetry({ telemetry }: Pick<Config, 'telemetry'>): Promise<() => Promise<void>> {
  if (!telemetry.tracesUrl) return async () => {}
  const { startExporter } = await import('./telemetry-exporter.ts')
  const stop = startExporter(telemetry.tracesUrl, telemetry)
  exporting = true
  return async () => {
    exporting = false
    await stop()
  }
}

/**
 * A call belongs to the trace that its change began. Made by a job of the same trace, it hangs beneath the job; one
 * job also makes the calls of other traces.
 */
export function beginTrace(
  name: string,
  kind: 'server' | 'client' | 'consumer',
  parent: string | null | undefined,
  attributes: Attributes = {},
): Trace {
  const inherited = parseTraceparent(parent)
  if (!exporting) {
    const traceId = inherited?.traceId ?? randomHex(16)
    return { traceId, traceparent: `00-${traceId}-${randomHex(8)}-00`, span: null }
  }
  const around = kind === 'client' ? context.active() : ROOT_CONTEXT
  const isAround = !inherited || trace.getSpanContext(around)?.traceId === inherited.traceId
  const above = isAround
    ? around
    : trace.setSpanContext(ROOT_CONTEXT, { ...inherited, traceFlags: TraceFlags.NONE, isRemote: true })
  const span = tracer().startSpan(name, { kind: kinds[kind], attributes }, above)
  const { traceId, spanId } = span.spanContext()
  return { traceId, traceparent: `00-${traceId}-${spanId}-01`, span }
}

/** Asking the system for every id alone takes longer than all else that is done for a call that nobody traces. */
const random = Buffer.alloc(4_096)
let used = random.length
function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random)
    used = 0
  }
  return random.toString('hex', used, (used += bytes))
}

/** Calls that this work makes hang beneath the trace. */
export const within = <T>({ span }: Trace, work: () => T): T =>
  span ? context.with(trace.setSpan(ROOT_CONTEXT, span), work) : work()

export function endTrace({ span }: Pick<Trace, 'span'>, outcome: Verdict): void {
  if (!span) return
  if (outcome.attributes) span.setAttributes(outcome.attributes)
  if (outcome.failed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** A part of what is under way, such as a transaction, and a word on how it ended. A span only beneath another. */
export async function step<T>(
  name: string,
  work: () => Promise<T>,
  judge: (ended: Ended<T>) => Verdict,
): Promise<T> {
  const isTraced = exporting && trace.getSpan(context.active()) !== undefined
  const span = isTraced ? tracer().startSpan(name, { kind: SpanKind.CLIENT }) : null
  try {
    const result = await (span ? context.with(trace.setSpan(context.active(), span), work) : work())
    endTrace({ span }, judge({ result }))
    return result
  } catch (error) {
    endTrace({ span }, judge({ error }))
    throw error
  }
}

export type Ended<T> = { readonly result: T } | { readonly error: unknown }
export interface Verdict {
  readonly failed: boolean
  readonly attributes?: Attributes
}

const tracer = () => trace.getTracer('vacancy')

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/** Anything but a well-formed version 00 header with non-zero ids counts as absent. */
export function parseTraceparent(header: unknown): { traceId: string; spanId: string } | null {
  if (typeof header !== 'string') return null
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header)
  if (!match || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return null
  return { traceId: match[1]!, spanId: match[2]! }
}

const traces = new WeakMap<object, Trace>()
export const traceOf = (request: object) => traces.get(request)
export const rememberTrace = (request: object, one: Trace) => void traces.set(request, one)
