import type { FastifyInstance, onSendHookHandler } from 'fastify'

/** That an operation will end, as an option of its route: `config: { deprecation: { since: '2027-01-01' } }`. */
export interface Deprecation {
  /** The day from which it is deprecated. */
  readonly since: string
  /** The day on which it ends, at least a year later; left out while that is open. */
  readonly sunset?: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation
  }
}

/** Where the changelog tells what to use instead. */
const changelog = '</docs/changelog>; rel="deprecation"; type="text/html"'

/** Sends `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) with every response of a deprecated operation. */
export function announceDeprecations(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { deprecation } = route.config ?? {}
    if (deprecation) route.onSend = [announce(deprecation), ...[route.onSend ?? []].flat()]
  })
}

const announce =
  ({ since, sunset }: Deprecation): onSendHookHandler =>
  (_request, reply, payload, done) => {
    const link = reply.getHeader('link')
    void reply.headers({
      deprecation: `@${Date.parse(since) / 1_000}`,
      ...(sunset && { sunset: new Date(sunset).toUTCString() }),
      link: typeof link === 'string' ? `${link}, ${changelog}` : changelog,
    })
    done(null, payload)
  }

/** The same in the contract. */
export function describeDeprecation<Schema extends { description?: string }>(
  schema: Schema,
  deprecation: Deprecation | undefined,
): Schema {
  if (!deprecation) return schema
  const { since, sunset } = deprecation
  const notice = `Deprecated since ${since}${sunset ? `, ends on ${sunset}` : ''}: see the changelog.`
  const description = [schema.description, notice].filter(Boolean).join(' ')
  return { ...schema, deprecated: true, description }
}
