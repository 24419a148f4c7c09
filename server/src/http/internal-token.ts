import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Sent with the internal token: no limit of how often holds for it. */
    isInternal: boolean
  }
}

/** Marks requests that carry one of the internal tokens; none marks nobody. */
export function markInternalRequests(app: FastifyInstance, tokens: readonly string[]): void {
  const isInternal = tokenMatcher(tokens)
  app.decorateRequest('isInternal', false)
  app.addHook('onRequest', (request, _reply, done) => {
    request.isInternal = isInternal(request.headers['x-internal-token'])
    done()
  })
}

/** Whether a header is one of the tokens. Digests are of equal length, so the time tells nothing of how close it is. */
function tokenMatcher(tokens: readonly string[]): (header: string | string[] | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const known = tokens.filter(Boolean).map(digest)
  return (header) => {
    if (typeof header !== 'string' || known.length === 0) return false
    const given = digest(header)
    return known.map((token) => timingSafeEqual(token, given)).includes(true)
  }
}
