import type { FastifyInstance } from 'fastify'

/** The methods that a path is offered with; empty when nothing is there. */
export type AllowedMethods = (path: string) => string[]

/** Remembers every route from here on, so that a path with another method can be told from no path at all. */
export function trackAllowedMethods(app: FastifyInstance): AllowedMethods {
  const known = new Map<string, { form: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // Browsers may ask about any path whether they may call it; that puts nothing there.
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
