import cors from '@fastify/cors'
import type { FastifyInstance, onSendHookHandler } from 'fastify'
import type { Config } from '#config/config.ts'
import { constants } from 'node:zlib'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import { encodedEtag } from './replies.ts'

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
        ...[
          'etag',
          'link',
          'location',
          'retry-after',
          'x-request-id',
          'idempotent-replayed',
          'deprecation',
          'sunset',
        ],
        ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
      ],
      maxAge: 600,
    })
}

/** These types are compressed. Images already are, and event streams must not be buffered. */
const compressible = /^text\/(?!event-stream)|[+/]json(?:;|$)|[+/]javascript(?:;|$)|[+/]xml(?:;|$)/

const options = {
  encodings: ['br', 'gzip'],
  // Bytes: what is smaller stays as it is.
  threshold: 1_024,
  customTypes: compressible,
  // The lowest levels: JSON is a tenth larger than at the default levels, at a fraction of the time (bench/compression.ts).
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: 1 },
  // Up to this size, one synchronous call takes a fraction of a millisecond and avoids streams and threads.
  syncThreshold: 131_072,
} satisfies FastifyCompressOptions

/**
 * For a response of half a megabyte that people wait for: 50 units and 56 nights of the calendar take 25 KiB instead of
 * 36, for 3 ms more in a thread.
 */
export const compressWell = {
  ...options,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 6 },
} satisfies FastifyCompressOptions

/**
 * Compresses responses of 1 KiB and more with br or gzip, as the client prefers. Request bodies are never decompressed:
 * a small one could expand to gigabytes.
 *
 * A strong ETag identifies the bytes of a response (RFC 9110, 8.8.3), so the ETag of a compressed one names its encoding.
 */
export async function compressResponses(app: FastifyInstance): Promise<void> {
  await app.register(compress, { ...options, globalDecompression: false })
  app.addHook('onRoute', (route) => {
    const hooks = [route.onSend ?? []].flat()
    // The plugin has added itself last, after the hook of HEAD routes that removes the body.
    const compressBody = hooks.pop()!
    route.onSend = [compressBody, addEncodingToEtag, ...hooks]
  })
}

const addEncodingToEtag: onSendHookHandler = (_request, reply, payload, done) => {
  const etag = reply.getHeader('etag')
  const encoding = reply.getHeader('content-encoding')
  if (typeof etag === 'string' && typeof encoding === 'string' && etag.startsWith('"'))
    void reply.header('etag', encodedEtag(etag, encoding))
  done(null, payload)
}
