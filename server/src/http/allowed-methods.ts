import type { FastifyInstance } from 'fastify'

/** The methods of the routes of a path; empty when there is none. */
export type AllowedMethods = (path: string) => string[]

/**
 * Records every route that is registered from now on, to distinguish an unknown path from a path with other methods.
 */
export function trackAllowedMethods(app: FastifyInstance): AllowedMethods {
  const known = new Map<string, { form: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // Browsers may send preflight requests for any path; these are no routes.
    if (url === '*') return
    const path = known.get(url) ?? { form: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) path.methods.add(one)
    known.set(url, path)
  })
  return (path) => {
    const there = known.values().filter(({ form }) => form.test(path))
    return [...new Set(there.flatMap(({ methods }) => methods))].sort()
  }
}

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .split(/(:\w+|\*)/)
      .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replaceAll('.', '\\.')))
      .join('')}$`,
  )
