/** The error of a request as a command reports it. */
import { Problem, Unreachable } from '../../../client/src/problem.ts'
import { errorMessage } from './command-context.ts'
import { CommandError, type exitCodes } from './command-error.ts'

const kinds: Record<number, keyof typeof exitCodes> = {
  400: 'usage',
  401: 'authentication',
  403: 'authentication',
  404: 'notFound',
  409: 'conflict',
  412: 'conflict',
  422: 'usage',
  429: 'rateLimited',
}

/** Other errors are returned as they are. */
export function commandErrorOf(error: unknown, url: string): unknown {
  if (error instanceof Problem) {
    const { status, code, type, errors, requestId } = error
    const facts = { status, code, type, ...(errors.length > 0 && { errors }), request_id: requestId }
    const kind = code === 'organization-required' ? 'authentication' : kinds[status]
    return new CommandError(kind ?? 'failed', describeProblem(error), error, facts)
  }
  if (error instanceof Unreachable)
    return new CommandError('failed', `${url} does not respond: ${errorMessage(error.cause)}.`, error)
  return error
}

/** The sentence, one line for each field, and the id by which the request is found in the logs. */
function describeProblem({ detail, title, errors, requestId, retryAfterSeconds, status }: Problem): string {
  const wait = status === 429 && retryAfterSeconds !== null ? `: try again in ${retryAfterSeconds} s` : ''
  const repeatsFields = errors.length > 0 && detail === errors.map(({ message }) => message).join(' ')
  const fields = errors.map(({ pointer, message }) => [fieldName(pointer), message] as const)
  const width = Math.max(...fields.map(([name]) => name.length))
  return [
    repeatsFields || !detail ? `${title}${wait}.` : detail,
    ...fields.map(([name, message]) => `  ${name.padEnd(width)}  ${message}`),
    ...(requestId ? [`Request ${requestId}`] : []),
  ].join('\n')
}

/** `/address/city` as it is written on the command line: `address.city`. */
const fieldName = (pointer: string) =>
  pointer
    .replace(/^#?\//, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.') || 'body'
