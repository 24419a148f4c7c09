import type { FastifyInstance } from 'fastify'
import leven from 'leven'
import { Malformed, type Fault } from '#errors.ts'
import { requiredPermissionOf } from './authenticate.ts'

/**
 * Refuses query parameters that the operation does not declare: a misspelt filter would silently answer the whole
 * list. Operations that need no token ignore them, because strangers add their own to an address that they were
 * given: a PMS to its webhooks, a portal to the calendar it fetches, a monitor to its probe.
 */
export function rejectUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (requiredPermissionOf(request) === 'none') return done()
    const { schema } = request.routeOptions
    const known = (schema?.querystring as { properties?: object } | undefined)?.properties ?? {}
    const unknown = Object.keys(request.query as object).filter((name) => !Object.hasOwn(known, name))
    if (unknown.length === 0) return done()
    const faults = unknown.slice(0, maxFaults).map((name) => faultOf(name, Object.keys(known)))
    done(new Malformed('validation-error', faults.map(({ message }) => message).join(' '), { faults }))
  })
}

/** As many as a problem document lists. */
const maxFaults = 50

function faultOf(name: string, known: readonly string[]): Fault {
  // No text of an answer holds U+0000.
  const shown = name.slice(0, 100).replaceAll('\0', '\uFFFD')
  return {
    pointer: `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    code: 'unknown_parameter',
    message: `Unknown query parameter \`${shown}\`. ${advice(shown, known)}`,
  }
}

function advice(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'This operation takes none.'
  const nearest = nearestName(name, known)
  if (nearest) return `Did you mean \`${nearest}\`?`
  return `Known here: ${known.map((one) => `\`${one}\``).join(', ')}.`
}

/** The known name with the fewest differences in its letters, when they are at most a third of the name. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = lettersOf(name)
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: leven(given, lettersOf(candidate)) }))
    .filter(({ distance }) => distance * 3 <= given.length)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.candidate
}

/** `unitId`, `unit_id` and `unit-id[]` are spellings of the same name. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
