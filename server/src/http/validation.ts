import { Ajv, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifySchemaValidationError, preValidationHookHandler } from 'fastify'
import { type FieldError, BadRequest, validationError } from '#errors.ts'
import {
  isCountry,
  isCurrency,
  isDate,
  isDateTime,
  isDayOrTime,
  isUuid,
  isMailAddress,
} from '#schema/fields.ts'
import { isTimeZone } from '#schema/nights.ts'
import leven from 'leven'
import { requiredPermissionOf } from './authenticate.ts'

/**
 * Bodies are validated without coercion, and nothing is dropped. Query strings and paths are text, so numbers and
 * lists in them are converted.
 */
export function setValidator(app: FastifyInstance): void {
  const strict = createAjv(false)
  const lenient = createAjv('array')
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : lenient
    let validate: ValidateFunction | undefined
    // Compiled at the first request: compiling all schemas would delay every start.
    return (value) => {
      validate ??= ajv.compile(withIdsInLowerCase(schema as object))
      return validate(value) || { error: validate.errors as unknown as Error }
    }
  })
}

function createAjv(coerceTypes: false | 'array') {
  const ajv = new Ajv({
    allErrors: true,
    removeAdditional: false,
    coerceTypes,
    useDefaults: false,
    strict: true,
    strictTypes: false,
    // `limit=1e400` is read as Infinity, which is reported as too large, not as not a number.
    strictNumbers: coerceTypes === false,
    formats: {
      uuid: isUuid,
      date: isDate,
      'date-time': isDateTime,
      'day-or-time': isDayOrTime,
      currency: isCurrency,
      country: isCountry,
      email: isMailAddress,
      'time-zone': isTimeZone,
      int32: true,
      int64: true,
      uri: (value: string) => URL.canParse(value),
    },
    keywords: ['example', { keyword: 'lowerCase', type: 'string', modifying: true, validate: toLowerCase }],
  })
  return ajv
}

/** Programs in .NET and SQL Server write ids in upper case. They are compared, stored and returned in lower case. */
const toLowerCase: SchemaValidateFunction = (_schema, text: string, _parent, context) => {
  if (isUuid(text)) context!.parentData[context!.parentDataProperty] = text.toLowerCase()
  return true
}

const withIdsInLowerCase = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_, part: { format?: unknown } | null) =>
    part?.format === 'uuid' ? { ...part, lowerCase: true } : part,
  ) as object

/** Converts errors of the validator to pointers and understandable messages. */
export function toFieldErrors(errors: FastifySchemaValidationError[], part: string): FieldError[] {
  const misspelt = new Set(
    errors.flatMap((error) => (error.keyword === 'format' ? [error.instancePath] : [])),
  )
  return (
    errors
      .filter(({ keyword }) => keyword !== 'if' && keyword !== 'anyOf')
      // The error about the format of a value is more specific than the one about its length.
      .filter(({ keyword, instancePath }) => !(misspelt.has(instancePath) && lengthKeywords.has(keyword)))
      .slice(0, maxErrors)
      .map(({ instancePath, keyword, params, message }) => {
        const member = (params['missingProperty'] ?? params['additionalProperty']) as string | undefined
        const step = member?.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
        // A query has no lists: a parameter is repeated.
        const at = part === 'querystring' ? instancePath.replace(/\/\d+$/, '') : instancePath
        const pointer = step === undefined ? at : `${at}/${step}`
        const place = pointer ? pointer.slice(1).replaceAll('/', '.') : `The ${names[part] ?? part}`
        return {
          pointer,
          code: codes[keyword] ?? keyword,
          message: `${place} ${describeViolation(keyword, params, message)}.`,
        }
      })
  )
}

const lengthKeywords = new Set(['minLength', 'maxLength', 'pattern'])

/** The response to thousands of errors lists only some of them. */
const maxErrors = 50

const names: Record<string, string> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

const codes: Record<string, string> = {
  required: 'required',
  additionalProperties: 'unknown_member',
  type: 'wrong_type',
  enum: 'unknown_value',
  const: 'unknown_value',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  minLength: 'too_short',
  minItems: 'too_few',
  minProperties: 'too_few',
  maximum: 'too_large',
  maxLength: 'too_long',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  format: 'wrong_format',
  pattern: 'wrong_format',
  multipleOf: 'wrong_step',
  uniqueItems: 'duplicate',
}

const formatDescriptions: Record<string, string> = {
  uuid: 'an id (UUID)',
  date: 'a day from 1970 to 2200, such as 2026-07-01',
  'date-time': 'a point in time from 1970 to 2200, such as 2026-07-01T15:00:00Z',
  'day-or-time': 'a day, or a point in time with its zone, from 1970 to 2200, such as 2026-07-01T15:00:00Z',
  currency: 'a currency code in lower case, such as usd',
  country: 'the code of a country, such as PT',
  'time-zone': 'an IANA time zone, such as Europe/Lisbon',
  uri: 'an address',
  email: 'one e-mail address, such as office@example.com',
}

function describeViolation(
  keyword: string,
  params: Record<string, unknown>,
  message = 'is not valid',
): string {
  if (keyword === 'required') return 'is missing'
  if (keyword === 'additionalProperties') return 'is not a member of this resource'
  if (keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as unknown[]).slice(0, 20).join(', ')}`
  if (keyword === 'const') return `must be ${String(params['allowedValue'])}`
  if (keyword === 'format')
    return `must be ${formatDescriptions[params['format'] as string] ?? `of the form ${String(params['format'])}`}`
  if (keyword === 'pattern') return 'has an invalid format'
  const phrase = phrases[keyword]
  return phrase ? phrase(params) : message
}

const limit = (params: Record<string, unknown>) => Number(params['limit']).toLocaleString('en')
const count = (params: Record<string, unknown>, one: string, many: string) =>
  `${limit(params)} ${params['limit'] === 1 ? one : many}`

const phrases: Record<string, (params: Record<string, unknown>) => string> = {
  type: ({ type }) => `must be of the type ${String(type)}`,
  minimum: (params) => `must be at least ${limit(params)}`,
  maximum: (params) => `must be at most ${limit(params)}`,
  minLength: (params) => `must have at least ${count(params, 'character', 'characters')}`,
  maxLength: (params) => `must have at most ${count(params, 'character', 'characters')}`,
  minItems: (params) => `must have at least ${count(params, 'entry', 'entries')}`,
  maxItems: (params) => `must have at most ${count(params, 'entry', 'entries')}`,
  minProperties: (params) => `must have at least ${count(params, 'member', 'members')}`,
  maxProperties: (params) => `must have at most ${count(params, 'member', 'members')}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  uniqueItems: () => 'must not contain duplicates',
}

/**
 * Rejects query parameters that the operation does not declare: with a misspelt filter the response would be the whole
 * list. Operations without a token ignore them, because other systems add parameters to the URL that they were given: a
 * PMS to its webhooks, a portal to a calendar, a monitor to its probe.
 */
export function rejectUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (requiredPermissionOf(request) === 'none') return done()
    const { schema } = request.routeOptions
    const names = Object.keys(request.query as object)
    if (names.length === 0) return done()
    const known = (schema?.querystring as { properties?: object } | undefined)?.properties ?? {}
    const unknown = names.filter((name) => !Object.hasOwn(known, name))
    if (unknown.length === 0) return done()
    const errors = unknown.slice(0, maxErrors).map((name) => unknownParameterError(name, Object.keys(known)))
    done(new BadRequest('validation-error', errors.map(({ message }) => message).join(' '), { errors }))
  })
}

/** An operation that takes no body rejects one with members, which has no effect. Clients may send an empty object. */
export function rejectUnexpectedBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.schema?.body || !['POST', 'DELETE'].includes(String(route.method))) return
    route.preValidation = [rejectMembers, ...[route.preValidation ?? []].flat()]
  })
}

const rejectMembers: preValidationHookHandler = ({ body }, _reply, done) => {
  if (Object.keys(body ?? {}).length === 0) return done()
  done(validationError('', 'This operation takes no body.', 'unknown_member'))
}

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
