import type { FastifyInstance, HTTPMethods } from 'fastify'
import { sendProblem } from './problems.ts'

const all: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A path that exists answers 405 with `Allow` to the methods it does not have. Call before the routes. */
export function refuseOtherMethods(app: FastifyInstance, publicUrl: string): void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, schema }) => {
    if (schema?.hide) return
    const methods = known.get(url) ?? new Set<string>()
    for (const one of [method].flat()) methods.add(one)
    known.set(url, methods)
  })
  const register = app.register.bind(app)
  // Runs after every route is known: plugins load in the order of their registration, this one in onReady's stead.
  app.after(() => {
    void register(async (late) => {
      for (const [url, methods] of known) {
        const allow = [...methods].sort().join(', ')
        late.route({
          method: all.filter((one) => !methods.has(one)),
          url,
          schema: { hide: true },
          handler: (request, reply) =>
            sendProblem(reply, request, publicUrl, {
              code: 'method-not-allowed',
              detail: `${request.method} is not offered here. Offered: ${allow}.`,
              headers: { allow },
            }),
        })
      }
    })
  })
}
