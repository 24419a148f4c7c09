import { text } from '#fields.ts'
import { catalogue, type Code } from './catalogue.ts'
import { isUnlimited } from './limit-table.ts'
import { permissionTable } from './permissions.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** The schema of a route, as far as it is read here. */
export interface Described {
  response?: Record<string, object>
  description?: string
  querystring?: { properties?: object; required?: readonly string[] }
  produces?: string[]
  /** What is not JSON: a file is sent. */
  consumes?: string[]
  /** Something is done, once for an Idempotency-Key, with a record that is answered. */
  acts?: boolean
  /** Statuses of problems that others of its kind do not have. */
  problems?: readonly number[]
  [member: string]: unknown
}

/**
 * Adds to a route what its kind has in common: permission, conditional and repeated requests, and the problems
 * it can answer with. For the document only; the doors themselves are in idempotency.ts and preconditions.ts.
 */
export function described(schema: Described, method: string, url: string): Described {
  const permission = permissionTable[`${method} ${url}` as keyof typeof permissionTable] as string | undefined
  if (!permission) return schema
  const kind = kindOf(schema, method, url)
  const response: Record<string, object> = {}
  for (const [status, body] of Object.entries(schema.response ?? {})) {
    const headers = answerHeaders(kind, status, url)
    response[status] = { description: 'Done.', ...withContent(status, body, schema), headers }
  }
  if (kind === 'show')
    response['304'] = { description: 'You have it already.', type: 'null', headers: named('ETag') }
  for (const status of problemsOf(schema, method, url, permission)) response[status] = failure(status)
  if (!isUnlimited(`${method} ${url}`)) promiseLimits(response)
  const { problems: _, acts: _acts, ...rest } = schema
  return {
    ...rest,
    description: [schema.description, needs(permission)].filter(Boolean).join(' '),
    operationId: operationId(method, url),
    security: permission === 'none' ? [] : [{ bearer: [] }],
    'x-permission': permission,
    headers: { type: 'object', properties: askedHeaders[kind] },
    response,
  }
}

/** Every answer says how the caller stands with the limit; past it, the answer is 429. */
function promiseLimits(response: Record<string, { headers?: object }>): void {
  const content = { 'application/json': { schema: TooManyRequests } }
  response['429'] ??= { description: 'Asked too often.', content, headers: named('Retry-After') } as object
  for (const answer of Object.values(response))
    answer.headers = {
      ...answer.headers,
      ...named('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'),
    }
}

type Kind = 'list' | 'show' | 'create' | 'change' | 'act' | 'other'

function kindOf({ querystring, response, consumes, acts }: Described, method: string, url: string): Kind {
  if (method === 'GET' && querystring?.properties && 'cursor' in querystring.properties) return 'list'
  if (method === 'POST' && response && ('201' in response || consumes)) return 'create'
  if (acts) return 'act'
  // Of some things there is one, and it is where others have their list.
  const isOnlyOne = Object.hasOwn(permissionTable, `PUT ${url}`)
  if (!isOnlyOne && !/:(id|file|token\.ics)$/.test(url)) return 'other'
  return method === 'GET' ? 'show' : 'change'
}

const header = (description: string, maxLength = 255) => ({ ...text(maxLength), description })

const askedHeaders: Record<Kind, Record<string, object>> = {
  list: {},
  show: { 'If-None-Match': header('An ETag that you have: the answer is 304 while it is current.', 8_192) },
  create: { 'Idempotency-Key': header('Repeated with the same key and body, the first answer comes again.') },
  change: {
    'If-Match': header('An ETag that you have: refused with 412 when the record has changed.', 8_192),
  },
  act: { 'Idempotency-Key': header('Repeated with the same key and body, nothing more is done.') },
  other: {},
}

function answerHeaders(kind: Kind, status: string, url: string): Record<string, object> {
  if (status === '429') return named('Retry-After')
  if (kind === 'list') return named('Link')
  if (kind === 'show' || (kind === 'change' && status !== '204')) return named('ETag')
  if (kind === 'act') return named('Idempotent-Replayed', 'ETag')
  if (kind !== 'create') return {}
  // What is made of another record has its page among its own kind.
  const page = `GET /api/v1/${url.split('/').at(-1)}/:id`
  const hasPage = status === '201' && Object.hasOwn(permissionTable, page)
  return named('Idempotent-Replayed', ...(hasPage ? (['ETag', 'Location'] as const) : []))
}

/** What each header of an answer means; the document refers to them by name. */
export const headersOfAnswers = {
  ETag: header('The version of the record and a digest of the answer.'),
  Link: header('The next page, as `rel="next"`.', 16_384),
  Location: header('Where the new record is.'),
  'Idempotent-Replayed': header('`true` when this is the answer of an earlier request.', 16),
  'WWW-Authenticate': header('`Bearer`, with what is wrong.'),
  'Retry-After': header('Seconds to wait.', 16),
  'X-RateLimit-Limit': header('How often this may be asked in a minute.', 16),
  'X-RateLimit-Remaining': header('How often it may still be asked until the reset.', 16),
  'X-RateLimit-Reset': header('When the count begins anew: a time in ISO 8601.', 32),
  'X-Request-Id': header('Names the request in our logs.', 64),
  'Access-Control-Allow-Origin': header('The origin of the caller, when the installation lets it in.', 2_048),
}
/** The headers that every answer carries. */
export const headersOfAll = ['X-Request-Id', 'Access-Control-Allow-Origin'] as const

const named = (...names: (keyof typeof headersOfAnswers)[]) =>
  Object.fromEntries(names.map((name) => [name, headersOfAnswers[name]]))

function problemsOf(
  { querystring, problems = [] }: Described,
  method: string,
  url: string,
  permission: string,
): number[] {
  const statuses = [400, 500, 503, ...problems]
  if (permission !== 'none') statuses.push(401, 403)
  if (url.includes(':')) statuses.push(404)
  // What a query names may be unknown, or not fit together; the filters of a list only find nothing.
  if (querystring?.properties && !('cursor' in querystring.properties)) statuses.push(404, 422)
  else if (querystring?.required?.length) statuses.push(422)
  if (['PUT', 'PATCH', 'DELETE'].includes(method)) statuses.push(409, 412)
  // A body that nobody asked for is read as well.
  if (method !== 'GET') statuses.push(413, 415)
  if (['POST', 'PUT', 'PATCH'].includes(method)) statuses.push(404, 409, 422)
  return [...new Set(statuses)].sort()
}

const needs = (permission: string) => {
  if (permission === 'none') return 'Open to everyone.'
  return permission === 'any token' ? 'Needs a valid token.' : `Needs the permission \`${permission}\`.`
}

const withContent = (status: string, body: object, { produces = ['application/json'] }: Described) =>
  status === '204'
    ? { type: 'null' }
    : { content: Object.fromEntries(produces.map((type) => [type, { schema: body }])) }

const failure = (status: number) => ({
  description: Object.entries(catalogue)
    .filter(([, kind]) => kind.status === status)
    .map(([code, kind]) => `\`${code as Code}\`: ${kind.title}.`)
    .join(' '),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  ...(status === 401 && { headers: named('WWW-Authenticate') }),
  ...([409, 503].includes(status) && { headers: named('Retry-After') }),
})

/** GET /api/v1/channel-targets/:id → getChannelTargetsById */
function operationId(method: string, url: string): string {
  const words = url
    .replace(/^\/api\/v1/, '')
    .replace(/:(\w+)/g, (_, name: string) => `by-${name}`)
    .split(/[^a-zA-Z]+/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words.map((word) => word[0]!.toUpperCase() + word.slice(1))].join('')
}
