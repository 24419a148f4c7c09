import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { events } from '#telemetry/log.ts'
import { startTrace, endTrace, runInTrace, type Trace } from '#telemetry/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request is routed. */
    trace: Trace | null
  }
}

/** The status that nginx also logs for a client that disconnected before the response. */
const clientClosedStatus = 499

/** Continues or starts the trace of each request, and logs one line for it. */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('trace', null)
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched'
    const trace = startTrace(
      `${request.method} ${route}`,
      'server',
      request.headers.traceparent as string | undefined,
      { 'http.request.method': request.method, 'http.route': route, 'vacancy.request.id': request.id },
    )
    request.trace = trace
    // A response that is interrupted, or that a stream writes itself, never finishes: it only closes.
    const began = performance.now()
    reply.raw.once('close', () => recordResponse(request, reply, performance.now() - began))
    runInTrace(trace, done)
  })
  // Bodies are read by events of the connection, which do not have the trace context.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.trace) runInTrace(request.trace, done)
    else done()
  })
}

function recordResponse(request: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { raw } = reply
  const { trace } = request
  const status = raw.headersSent ? raw.statusCode : clientClosedStatus
  const orgId = (request.caller as typeof request.caller | null)?.organization.id
  const wasLeft = !raw.writableFinished
  if (trace)
    endTrace(trace, {
      failed: status >= 500,
      attributes: { 'http.response.status_code': status, ...(orgId && { 'vacancy.org.id': orgId }) },
    })
  events.requestAnswered({
    requestId: request.id,
    traceId: trace?.traceId,
    orgId,
    method: request.method,
    route: request.routeOptions.url ?? 'unmatched',
    status,
    ms: Math.round(ms * 10) / 10,
    ...(isStream(request) && { isStream: true }),
    ...(wasLeft && { wasLeft }),
  })
}

const isStream = ({ routeOptions }: FastifyRequest) =>
  (routeOptions.schema as { produces?: readonly string[] } | undefined)?.produces?.includes(
    'text/event-stream',
  ) ?? false
