import { text } from '#schema/fields.ts'
import { problemTypes, type ProblemCode } from './problem-types.ts'
import { isUnlimited } from './rate-limit-table.ts'
import { isAdminOnly, permissionTable } from './permissions.ts'
import { problemSchema } from './problem-schemas.ts'
import { problemTable } from './problem-table.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** The parts of a route's schema that are used here. */
export interface RouteSchema {
  response?: Record<string, object>
  description?: string
  querystring?: { properties?: object; required?: readonly string[] }
  produces?: string[]
  /** For responses other than JSON, such as files. */
  consumes?: string[]
  /** An action that returns a record and accepts an Idempotency-Key. */
  acts?: boolean
  /** A list whose response has an ETag. */
  isTagged?: boolean
  body?: object
  [member: string]: unknown
}

/**
 * Adds to a route what its kind has in common: permission, conditional and repeated requests, and possible problems.
 * Only for the document; idempotency.ts and replies.ts implement them.
 */
export function describeOperation(schema: RouteSchema, method: string, url: string): RouteSchema {
  const permission = permissionTable[`${method} ${url}` as keyof typeof permissionTable] as string | undefined
  if (!permission) return schema
  const kind = operationKind(schema, method, url)
  const response: Record<string, object> = {}
  for (const [status, body] of Object.entries(schema.response ?? {})) {
    const headers = responseHeadersOf(kind, status, url)
    response[status] = { description: 'Done.', ...withContent(status, body, schema), headers }
  }
  const isTagged = kind === 'show' || schema.isTagged === true
  if (schema.isTagged) Object.assign(response['200']!, { headers: pickHeaders('Link', 'ETag') })
  if (isTagged)
    response['304'] = { description: 'Your copy is current.', type: 'null', headers: pickHeaders('ETag') }
  for (const [status, codes] of problemsByStatus(problemCodesOf(schema, kind, method, url, permission)))
    response[status] = problemResponse(status, codes)
  if (!isUnlimited(`${method} ${url}`)) addRateLimitHeaders(response)
  const { acts: _acts, isTagged: _isTagged, ...rest } = schema
  return {
    ...rest,
    description: [schema.description, describePermission(permission)].filter(Boolean).join(' '),
    operationId: operationId(method, url),
    ...(permission === 'none' && { security: [] }),
    'x-permission': permission,
    headers: { type: 'object', properties: requestHeaders[isTagged ? 'show' : kind] },
    response,
  }
}

/** Every response has the rate limit headers; beyond the limit it is 429. */
function addRateLimitHeaders(response: Record<string, { headers?: object }>): void {
  const content = { 'application/json': { schema: TooManyRequests } }
  response['429'] ??= {
    description: 'Too many requests.',
    content,
    headers: pickHeaders('Retry-After'),
  } as object
  for (const answer of Object.values(response))
    answer.headers = {
      ...answer.headers,
      ...pickHeaders('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'),
    }
}

type OperationKind = 'list' | 'show' | 'create' | 'change' | 'act' | 'other'

function operationKind(
  { querystring, response, consumes, acts }: RouteSchema,
  method: string,
  url: string,
): OperationKind {
  if (method === 'GET' && querystring?.properties && 'cursor' in querystring.properties) return 'list'
  if (method === 'POST' && response && ('201' in response || consumes)) return 'create'
  if (acts) return 'act'
  // Singletons have paths that look like lists.
  const isOnlyOne = Object.hasOwn(permissionTable, `PUT ${url}`)
  if (!isOnlyOne && !/:(id|file|token\.ics)$/.test(url)) return 'other'
  return method === 'GET' ? 'show' : 'change'
}

const header = (description: string, maxLength = 255) => ({ ...text(maxLength), description })

const requestHeaders: Record<OperationKind, Record<string, object>> = {
  list: {},
  show: { 'If-None-Match': header('The ETag of your copy: the response is 304 while it is current.', 8_192) },
  create: {
    'Idempotency-Key': header('A repeated request with the same key and body gets the first response.'),
  },
  change: {
    'If-Match': header('The ETag of the version to change: 412 when the record has changed.', 8_192),
  },
  act: { 'Idempotency-Key': header('A repeated request with the same key and body has no further effect.') },
  other: {},
}

function responseHeadersOf(kind: OperationKind, status: string, url: string): Record<string, object> {
  if (status === '429') return pickHeaders('Retry-After')
  if (kind === 'list') return pickHeaders('Link')
  if (kind === 'show' || (kind === 'change' && status !== '204')) return pickHeaders('ETag')
  if (kind === 'act') return pickHeaders('Idempotent-Replayed', 'ETag')
  if (kind !== 'create') return {}
  // An action on another record is documented with that record.
  const page = `GET /api/v1/${url.split('/').at(-1)}/:id`
  const hasPage = status === '201' && Object.hasOwn(permissionTable, page)
  return pickHeaders('Idempotent-Replayed', ...(hasPage ? (['ETag', 'Location'] as const) : []))
}

/** The meaning of each response header; the document refers to them by name. */
export const responseHeaders = {
  ETag: header('The version of the record and a digest of the response.'),
  Link: header('The next page, as `rel="next"`.', 16_384),
  Location: header('The URL of the new record.'),
  'Idempotent-Replayed': header('`true` when this is the response of an earlier request.', 16),
  'WWW-Authenticate': header('`Bearer`, with the error.'),
  'Retry-After': header('Seconds to wait.', 16),
  'X-RateLimit-Limit': header('How many of these requests budget and limit allow in a window.', 16),
  'X-RateLimit-Remaining': header('How many of these requests are still allowed until the reset.', 16),
  'X-RateLimit-Reset': header('When the window ends: a time in ISO 8601.', 32),
  'Access-Control-Allow-Origin': header('The origin of the caller, when it is allowed.', 2_048),
}

const pickHeaders = (...names: (keyof typeof responseHeaders)[]) =>
  Object.fromEntries(names.map((name) => [name, responseHeaders[name]]))

/** The codes of all problems of an operation: those of its kind, and its own. */
function problemCodesOf(
  { querystring, body }: RouteSchema,
  kind: OperationKind,
  method: string,
  url: string,
  permission: string,
): ProblemCode[] {
  const codes: ProblemCode[] = ['bad-request', 'validation-error', 'internal-error']
  codes.push('unavailable', 'organization-frozen')
  codes.push(...(problemTable[`${method} ${url}`] ?? []))
  if (permission !== 'none')
    codes.push('unauthorized', 'forbidden', 'identity-conflict', 'organization-required')
  if (isAdminOnly(permission)) codes.push('admin-required')
  // A path segment longer than any id matches no operation.
  if (url.includes(':')) codes.push('not-found', 'no-such-path')
  if (kind === 'list') codes.push('invalid-cursor')
  // An unexpected body is parsed as well.
  if (method !== 'GET')
    codes.push('malformed-json', 'payload-too-large', 'unsupported-media-type', 'conflict')
  if (kind === 'create' || kind === 'act') codes.push('idempotency-in-progress', 'idempotency-key-reused')
  if (kind === 'change') codes.push('precondition-failed')
  if (body !== undefined && permission !== 'none') codes.push('semantic-error')
  if (body !== undefined && hasReference(body)) codes.push('reference-not-found')
  // References in a query may be unknown or contradict each other; the filters of a list only match nothing.
  if (querystring?.properties && kind !== 'list') codes.push('semantic-error')
  return [...new Set(codes)]
}

/** A member that refers to another record, at any depth. */
const hasReference = (schema: object): boolean =>
  Object.entries(schema).some(
    ([name, part]: [string, unknown]) =>
      typeof part === 'object' &&
      part !== null &&
      ((name !== 'org_id' && /(_id|Id)$/.test(name) && 'format' in part && part.format === 'uuid') ||
        hasReference(part)),
  )

function problemsByStatus(codes: readonly ProblemCode[]): [number, ProblemCode[]][] {
  const found = new Map<number, ProblemCode[]>()
  for (const code of Object.keys(problemTypes) as ProblemCode[])
    if (codes.includes(code)) {
      const { status } = problemTypes[code]
      found.set(status, [...(found.get(status) ?? []), code])
    }
  return [...found].sort(([left], [right]) => left - right)
}

const describePermission = (permission: string) => {
  if (permission === 'none') return 'Open to everyone.'
  return permission === 'any token' ? 'Needs a valid token.' : `Permission: \`${permission}\`.`
}

const withContent = (status: string, body: object, { produces = ['application/json'] }: RouteSchema) =>
  ['202', '204'].includes(status)
    ? { type: 'null' }
    : { content: Object.fromEntries(produces.map((type) => [type, { schema: body }])) }

const problemResponse = (status: number, codes: readonly ProblemCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${problemTypes[code].title}.`).join(' '),
  content: { 'application/problem+json': { schema: problemSchema(codes) } },
  ...(status === 401 && { headers: pickHeaders('WWW-Authenticate') }),
  ...([409, 503].includes(status) && { headers: pickHeaders('Retry-After') }),
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
