import { randomFillSync } from 'node:crypto'
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'
import type { Config } from '#config/config.ts'
import { DomainError, Unavailable } from '#errors.ts'
import { metrics } from './metrics.ts'

/**
 * A W3C trace context, passed from the request through the job to the PMS call. Without a collector only the ids are
 * passed on, so that the audit can record them, and the OpenTelemetry SDK is not loaded.
 */
export interface Trace {
  readonly traceparent: string
  readonly traceId: string
  readonly span: Span | null
}

/** How an operation ended. */
type Settled<T> = { readonly result: T } | { readonly error: unknown }

/** What its span records of that. */
export interface SpanOutcome {
  readonly failed: boolean
  readonly attributes?: Attributes
}

let exporting = false

/** Starts the exporter when a collector is configured, before the first request. Returns a function that stops it. */
export async function startTelemetry({ telemetry }: Pick<Config, 'telemetry'>): Promise<() => Promise<void>> {
  if (!telemetry.tracesUrl) return async () => {}
  const { startExporter } = await import('./exporter.ts')
  const stop = startExporter(telemetry.tracesUrl, telemetry)
  exporting = true
  return async () => {
    exporting = false
    await stop()
  }
}

/**
 * Starts a span in the trace of `parent`, the trace in which a change was made. It is a child of the active span (a job)
 * when that is of the same trace; one job may also make the calls of other traces.
 */
export function startTrace(
  name: string,
  kind: 'server' | 'client' | 'consumer',
  parent: string | null | undefined,
  attributes: Attributes = {},
): Trace {
  const remote = parseTraceparent(parent)
  if (!exporting) {
    const traceId = remote?.traceId ?? randomHex(16)
    return { traceId, traceparent: `00-${traceId}-${randomHex(8)}-00`, span: null }
  }
  const parentContext = contextIn(remote, kind === 'client' ? context.active() : ROOT_CONTEXT)
  const span = tracer().startSpan(name, { kind: kinds[kind], attributes }, parentContext)
  const { traceId, spanId } = span.spanContext()
  return { traceId, traceparent: `00-${traceId}-${spanId}-01`, span }
}

/** Runs a part of a job in the trace of `parent`, in which a change was made: spans started inside belong to it. */
export function continueTrace<T>(parent: string | null, work: () => T): T {
  return exporting ? context.with(contextIn(parseTraceparent(parent), context.active()), work) : work()
}

/** The active context if it is of the trace, or of any trace without one. */
function contextIn(remote: ReturnType<typeof parseTraceparent>, active: Context): Context {
  const isSameTrace = !remote || trace.getSpanContext(active)?.traceId === remote.traceId
  return isSameTrace
    ? active
    : trace.setSpanContext(ROOT_CONTEXT, { ...remote, traceFlags: TraceFlags.NONE, isRemote: true })
}

/** Filled for many ids at once: one system call for each id would be the largest cost of a call without a collector. */
const randomPool = Buffer.alloc(4_096)
let usedBytes = randomPool.length
function randomHex(bytes: number): string {
  if (usedBytes + bytes > randomPool.length) {
    randomFillSync(randomPool)
    usedBytes = 0
  }
  return randomPool.toString('hex', usedBytes, (usedBytes += bytes))
}

/** Runs the work with this trace active: spans started inside become its children. */
export const runInTrace = <T>({ span }: Trace, work: () => T): T =>
  span ? context.with(trace.setSpan(ROOT_CONTEXT, span), work) : work()

export function endTrace({ span }: Pick<Trace, 'span'>, outcome: SpanOutcome): void {
  if (!span) return
  if (outcome.attributes) span.setAttributes(outcome.attributes)
  if (outcome.failed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** Runs a part of the active trace, such as a transaction, with a span of its own. Without an active span there is none. */
async function withSpan<T>(
  name: string,
  work: () => Promise<T>,
  describeOutcome: (ended: Settled<T>) => SpanOutcome,
): Promise<T> {
  const isTraced = exporting && trace.getSpan(context.active()) !== undefined
  const span = isTraced ? tracer().startSpan(name, { kind: SpanKind.CLIENT }) : null
  try {
    const result = await (span ? context.with(trace.setSpan(context.active(), span), work) : work())
    endTrace({ span }, describeOutcome({ result }))
    return result
  } catch (error) {
    endTrace({ span }, describeOutcome({ error }))
    throw error
  }
}

type AsyncMethods<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
}[keyof Port]

/**
 * Wraps the given methods of a port so that each call has a span and a metric. Only the name of the method is recorded:
 * arguments and results may hold personal data.
 */
export function traceCalls<Port extends object>(
  system: string,
  port: Port,
  ...calls: AsyncMethods<Port>[]
): Port {
  const wrapped = { ...port } as Record<PropertyKey, unknown>
  for (const name of calls) {
    const call = port[name] as (...args: unknown[]) => Promise<unknown>
    const operation = String(name)
    wrapped[name] = (...args: unknown[]) => {
      const startedAt = performance.now()
      return withSpan(
        `${system} ${operation}`,
        () => call(...args),
        (settled) => {
          const spanOutcome = outcomeOf(settled)
          const outcome = spanOutcome.failed ? 'failed' : 'ok'
          metrics.externalCallEnded(system, operation, outcome, performance.now() - startedAt)
          return spanOutcome
        },
      )
    }
  }
  return wrapped as Port
}

/** A business rule that rejects a change inside a transaction is no failure of the database. */
function outcomeOf(settled: Settled<unknown>): SpanOutcome {
  if ('error' in settled) {
    const { error } = settled
    const failed = !(error instanceof DomainError) || error instanceof Unavailable
    return { failed, attributes: { 'error.type': errorType(error) } }
  }
  const { status } = (settled.result ?? {}) as { status?: unknown }
  if (typeof status !== 'number') return { failed: false }
  return { failed: status >= 400, attributes: { 'http.response.status_code': status } }
}

function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

const tracer = () => trace.getTracer('vacancy')

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/** Null unless it is a well-formed header of version 00 with non-zero ids. */
export function parseTraceparent(header: unknown): { traceId: string; spanId: string } | null {
  if (typeof header !== 'string') return null
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header)
  if (!match || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return null
  return { traceId: match[1]!, spanId: match[2]! }
}
