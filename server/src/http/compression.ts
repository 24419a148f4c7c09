import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance, onSendHookHandler } from 'fastify'

/** Text of these kinds is sent compressed; pictures are already, and a stream of events has to arrive at once. */
const compressible = /^text\/(?!event-stream)|[+/]json(?:;|$)|[+/]javascript(?:;|$)|[+/]xml(?:;|$)/

const minBytes = 1_024

/**
 * Answers of 1 KiB and more are compressed with what the client prefers of br and gzip. Bodies of requests are read as they
 * are: a small one that unpacks to gigabytes is nobody's need here.
 *
 * A strong ETag names the bytes of an answer (RFC 9110, 8.8.3), so that of a compressed answer ends with its encoding.
 */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: minBytes,
    customTypes: compressible,
    // The lowest levels: a tenth larger than the usual ones for JSON, at a fraction of their time (bench/compression.ts).
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
    // Up to this size in one call of a fraction of a millisecond, without the cost of a stream and of other threads.
    syncThreshold: 131_072,
    globalDecompression: false,
  })
  app.addHook('onRoute', (route) => {
    const hooks = [route.onSend ?? []].flat()
    // The plugin has put itself last: behind the hook of HEAD routes, which takes the body away.
    const compressBody = hooks.pop()!
    route.onSend = [compressBody, nameEncoding, ...hooks]
  })
}

const nameEncoding: onSendHookHandler = (_request, reply, payload, done) => {
  const etag = reply.getHeader('etag')
  const encoding = reply.getHeader('content-encoding')
  if (typeof etag === 'string' && typeof encoding === 'string' && etag.startsWith('"'))
    void reply.header('etag', encodedTag(etag, encoding))
  done(null, payload)
}

const encodedTag = (etag: string, encoding: string) => `${etag.slice(0, -1)}-${encoding}"`

/** The ETag of those in `If-None-Match` under which the client has this answer, in whatever encoding; undefined if it has not. */
export function knownTag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return etag
  const named = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return [etag, encodedTag(etag, 'br'), encodedTag(etag, 'gzip')].find((tag) => named.includes(tag))
}
