import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The header with the internal token, which lifts rate limits. */
    isInternal: boolean
  }
}

/** Marks requests with one of the internal tokens; none are marked when no token is configured. */
export function markInternalRequests(app: FastifyInstance, tokens: readonly string[]): void {
  const isInternal = tokenMatcher(tokens)
  app.decorateRequest('isInternal', false)
  app.addHook('onRequest', (request, _reply, done) => {
    request.isInternal = isInternal(request.headers['x-internal-token'])
    done()
  })
}

/** Whether a header is one of the tokens. Digests of equal length are compared, so the time reveals nothing. */
function tokenMatcher(tokens: readonly string[]): (header: string | string[] | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const known = tokens.filter(Boolean).map(digest)
  return (header) => {
    if (typeof header !== 'string' || known.length === 0) return false
    const given = digest(header)
    return known.map((token) => timingSafeEqual(token, given)).includes(true)
  }
}
