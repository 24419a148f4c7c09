import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance, onSendHookHandler } from 'fastify'
import { encodedEtag } from './preconditions.ts'

/** These types are compressed. Images already are, and event streams must not be buffered. */
const compressible = /^text\/(?!event-stream)|[+/]json(?:;|$)|[+/]javascript(?:;|$)|[+/]xml(?:;|$)/

const minBytes = 1_024

/**
 * Compresses responses of 1 KiB and more with br or gzip, as the client prefers. Request bodies are never decompressed:
 * a small one could expand to gigabytes.
 *
 * A strong ETag identifies the bytes of a response (RFC 9110, 8.8.3), so the ETag of a compressed one names its encoding.
 */
export async function compressResponses(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: minBytes,
    customTypes: compressible,
    // The lowest levels: JSON is a tenth larger than at the default levels, at a fraction of the time (bench/compression.ts).
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
    // Up to this size, one synchronous call takes a fraction of a millisecond and avoids streams and threads.
    syncThreshold: 131_072,
    globalDecompression: false,
  })
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
