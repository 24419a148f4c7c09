import type { FastifyInstance } from 'fastify'
import { events } from '#events.ts'
import { beginTrace, endTrace, rememberTrace, traceOf } from '#telemetry.ts'

/** Each request continues the caller's trace or begins one, and leaves one line in the log. */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched'
    rememberTrace(
      request,
      beginTrace(`${request.method} ${route}`, 'server', request.headers.traceparent as string | undefined, {
        'http.request.method': request.method,
        'http.route': route,
      }),
    )
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const trace = traceOf(request)
    if (trace)
      endTrace(trace, {
        failed: reply.statusCode >= 500,
        attributes: { 'http.response.status_code': reply.statusCode },
      })
    events.requestAnswered({
      requestId: request.id,
      traceId: trace?.traceId,
      orgId: (request.caller as typeof request.caller | null)?.organization.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unmatched',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    })
    done()
  })
}
