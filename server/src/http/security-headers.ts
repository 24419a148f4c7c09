import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#config/config.ts'

/** Sets the security headers of every response, and CORS. */
export async function setSecurityHeaders(app: FastifyInstance, config: Config): Promise<void> {
  const issuer = new URL(config.identity.issuer).origin
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${issuer}`,
    `frame-src 'self' ${issuer}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ')
  const secure = config.http.publicUrl.startsWith('https:')
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-request-id': request.id,
      ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
      // Routes whose responses may be cached override this. Paths are not compared here, as they can be written in many ways.
      'cache-control': 'no-store',
      vary: 'accept-encoding',
    })
    done()
  })
  if (config.http.corsOrigins.length > 0)
    await app.register(cors, {
      origin: [...config.http.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: [
        'authorization',
        'content-type',
        'if-match',
        'last-event-id',
        'if-none-match',
        'idempotency-key',
        'traceparent',
        'x-organization',
      ],
      exposedHeaders: [
        ...['etag', 'link', 'location', 'retry-after', 'x-request-id', 'idempotent-replayed'],
        ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
      ],
      maxAge: 600,
    })
}
