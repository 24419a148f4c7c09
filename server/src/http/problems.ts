import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isConnectionLoss } from '#db/connect.ts'
import { DomainError, type FieldError } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import { problemTypeOf, type ProblemCode } from './problem-types.ts'
import { trackAllowedMethods } from './allowed-methods.ts'
import { toFieldErrors } from './validation.ts'

interface Problem {
  code: ProblemCode | (string & {})
  detail: string
  errors?: FieldError[]
  members?: Record<string, unknown>
  headers?: Record<string, string>
}

/** Every failure becomes a problem document (RFC 9457), also those that the framework makes. */
export function handleErrors(app: FastifyInstance, publicUrl: string): void {
  const methodsAt = trackAllowedMethods(app)
  let isStopping = false
  app.addHook('preClose', async () => void (isStopping = true))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error, { method: request.method, isStopping })
    if (problemTypeOf(problem.code).status === 500)
      events.requestFailed({
        requestId: request.id,
        traceId: request.trace?.traceId,
        orgId: (request.scope as typeof request.scope | null)?.orgId,
        error,
      })
    return sendProblem(reply, request, publicUrl, problem)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const offered = methodsAt(path)
    const allow = offered.join(', ')
    // A path of a known form can be none: the router, too, refuses what it cannot read.
    const problem =
      allow && !offered.includes(request.method)
        ? {
            code: 'method-not-allowed',
            detail: `${request.method} is not allowed here. Allowed: ${allow}.`,
            headers: { allow },
          }
        : { code: 'no-such-path', detail: `There is nothing at ${path.slice(0, 200)}.` }
    return sendProblem(reply, request, publicUrl, problem)
  })
}

export function sendProblem(
  reply: FastifyReply,
  request: FastifyRequest,
  publicUrl: string,
  problem: Problem,
) {
  const { status } = problemTypeOf(problem.code)
  metrics.problemAnswered(problem.code)
  if (status === 503) void reply.header('retry-after', '2')
  return reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...problem.headers })
    .type('application/problem+json')
    .send(problemDocument(publicUrl, request.id, problem))
}

export function problemDocument(publicUrl: string, requestId: string, problem: Problem): string {
  const { status, title } = problemTypeOf(problem.code)
  return JSON.stringify({
    type: `${publicUrl}/problems/${problem.code}`,
    title,
    status,
    detail: problem.detail,
    instance: `urn:request:${requestId}`,
    code: problem.code,
    errors: problem.errors ?? [],
    request_id: requestId,
    ...problem.members,
  })
}

/** The one table: what was thrown → what is answered. */
function toProblem(error: unknown, { method, isStopping }: { method: string; isStopping: boolean }): Problem {
  if (error instanceof DomainError) {
    const headers: Record<string, string> = {}
    if (error.code === 'unauthorized') headers['www-authenticate'] = 'Bearer error="invalid_token"'
    if (error.code === 'idempotency-in-progress') headers['retry-after'] = '1'
    if (error.retryAfter) headers['retry-after'] = String(secondsUntil(error.retryAfter))
    return { code: error.code, detail: error.message, errors: error.errors, members: error.members, headers }
  }
  const { validation, validationContext, code, statusCode } = error as Partial<FastifyError>
  if (validation) {
    const errors = toFieldErrors(validation, validationContext ?? 'body')
    return { code: 'validation-error', detail: errors.map(({ message }) => message).join(' '), errors }
  }
  if (code && code in frameworkCodes) return frameworkCodes[code]!
  // A stop ends the requests that take too long by closing the connections that they wait for.
  if (isConnectionLoss(error))
    return {
      code: 'unavailable',
      detail: isStopping ? 'The server is stopping.' : 'The database does not respond.',
    }
  // A read waits only for a change of the schema.
  if (code === '55P03' && method === 'GET') return databaseCodes['57014']!
  if (code && code in databaseCodes) return databaseCodes[code]!
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return { code: 'unavailable', detail: 'There is no space left for files.' }
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return { code: 'bad-request', detail: 'The request cannot be understood.' }
  return {
    code: 'internal-error',
    detail: 'An unexpected error occurred. It was logged with the request id.',
  }
}

const secondsUntil = (time: Date) => Math.max(1, Math.ceil((time.getTime() - Date.now()) / 1_000))

const frameworkCodes: Record<string, Problem> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported-media-type',
    detail: 'The body must be application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload-too-large', detail: 'The body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'bad-request',
    detail: 'Content-Length does not match the body.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'malformed-json', detail: 'The body is empty.' },
  FST_ERR_BAD_URL: { code: 'bad-request', detail: 'The path is not a valid URL path.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'no-such-path', detail: 'A segment of the path is too long.' },
}

/** The last net: validation should have caught these before. */
const databaseCodes: Record<string, Problem> = {
  '23505': { code: 'already-exists', detail: 'Another record has a value that must be unique.' },
  '23503': { code: 'resource-in-use', detail: 'The change would break a reference between records.' },
  '23P01': { code: 'booking-conflict', detail: 'No room is free on one of the nights.' },
  '22021': { code: 'malformed-json', detail: 'A string contains characters that cannot be stored.' },
  '22P05': { code: 'malformed-json', detail: 'A string contains characters that cannot be stored.' },
  '22P02': { code: 'validation-error', detail: 'A value has an invalid format.' },
  '22003': { code: 'validation-error', detail: 'A number is out of range.' },
  '22008': { code: 'validation-error', detail: 'A date or time is out of range.' },
  '40001': {
    code: 'conflict',
    detail: 'The same records were changed at the same time. Repeat the request.',
  },
  '40P01': {
    code: 'conflict',
    detail: 'The same records were changed at the same time. Repeat the request.',
  },
  '55P03': {
    code: 'conflict',
    detail: 'Another change of the same records is in progress. Repeat the request.',
  },
  '25006': { code: 'organization-frozen', detail: 'Only reads are possible at the moment.' },
  VA421: { code: 'organization-moved', detail: 'Another cell serves this organization.' },
  '57014': { code: 'unavailable', detail: 'The database took too long.' },
  '53300': { code: 'unavailable', detail: 'The database has no free connection.' },
  '53100': { code: 'unavailable', detail: 'The database has no space left.' },
}

const pathOf = (request: FastifyRequest) => request.url.split('?')[0]!
