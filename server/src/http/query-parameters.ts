import type { FastifyInstance } from 'fastify'
import leven from 'leven'
import { BadRequest, type FieldError } from '#errors.ts'
import { requiredPermissionOf } from './authenticate.ts'

/**
 * Rejects query parameters that the operation does not declare: with a misspelt filter the response would be the whole
 * list. Operations without a token ignore them, because other systems add parameters to the URL that they were given: a
 * PMS to its webhooks, a portal to a calendar, a monitor to its probe.
 */
export function rejectUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (requiredPermissionOf(request) === 'none') return done()
    const { schema } = request.routeOptions
    const known = (schema?.querystring as { properties?: object } | undefined)?.properties ?? {}
    const unknown = Object.keys(request.query as object).filter((name) => !Object.hasOwn(known, name))
    if (unknown.length === 0) return done()
    const errors = unknown.slice(0, maxErrors).map((name) => unknownParameterError(name, Object.keys(known)))
    done(new BadRequest('validation-error', errors.map(({ message }) => message).join(' '), { errors }))
  })
}

/** The maximum of a problem document. */
const maxErrors = 50

function unknownParameterError(name: string, known: readonly string[]): FieldError {
  // Clients need not handle U+0000 in a response.
  const shown = name.slice(0, 100).replaceAll('\0', '\uFFFD')
  return {
    pointer: `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    code: 'unknown_parameter',
    message: `Unknown query parameter \`${shown}\`. ${suggestionFor(shown, known)}`,
  }
}

function suggestionFor(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'This operation has no query parameters.'
  const nearest = nearestName(name, known)
  if (nearest) return `Did you mean \`${nearest}\`?`
  return `Known parameters: ${known.map((one) => `\`${one}\``).join(', ')}.`
}

/** The known name with the smallest edit distance, when that is at most a third of the length. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = normalizeName(name)
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: leven(given, normalizeName(candidate)) }))
    .filter(({ distance }) => distance * 3 <= given.length)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.candidate
}

/** `unitId`, `unit_id` and `unit-id[]` count as the same name. */
const normalizeName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
