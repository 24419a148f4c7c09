import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { atomically, type Scope } from '#db/scope.ts'
import { Conflict, Invalid, validationError } from '#errors.ts'
import { saveResponse, findStoredResponse, tryLockKey } from './idempotency-queries.ts'

export interface StoredReply {
  status: number
  headers?: Record<string, string>
  body: string
  /** Stored instead of the body when the body contains a secret. */
  storedBody?: string
}

/**
 * Runs the operation once per Idempotency-Key. The response is stored in the transaction of the operation and replayed to
 * repeated requests. Errors are not stored, so a corrected or later attempt may succeed. Without the header the operation
 * simply runs. `restoreBody` rebuilds the body from `storedBody`.
 */
export async function replyIdempotently(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  restoreBody?: RestoreBody,
): Promise<FastifyReply> {
  const result = await runIdempotently(request, reply, operation, restoreBody)
  return reply
    .code(result.status)
    .headers(result.headers ?? {})
    .type('application/json; charset=utf-8')
    .send(result.body)
}

/** The same, without sending the response: for routes that have more to do after the transaction has committed. */
export async function runIdempotently(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  restoreBody: RestoreBody = async (_scope, storedBody) => storedBody,
): Promise<StoredReply> {
  const key = idempotencyKey(request)
  return key === null
    ? await operation(request.scope)
    : await runOrReplay(request, reply, { key, operation, restoreBody })
}

type Operation = (scope: Scope) => Promise<StoredReply>
type RestoreBody = (scope: Scope, storedBody: string) => Promise<string>

interface IdempotentRun {
  readonly key: string
  readonly operation: Operation
  readonly restoreBody: RestoreBody
}

async function runOrReplay(
  request: FastifyRequest,
  reply: FastifyReply,
  { key, operation, restoreBody }: IdempotentRun,
): Promise<StoredReply> {
  const route = `${request.method} ${request.routeOptions.url}`
  const fingerprint = hash('sha256', canonicalJson(fingerprintInput(request)), 'buffer')
  return await atomically(request.scope, async (transaction) => {
    // Sent together; PostgreSQL runs them in this order, so the stored response is read after the key is locked.
    const [isLocked, stored] = await Promise.all([
      tryLockKey(transaction, route, key),
      findStoredResponse(transaction, route, key),
    ])
    if (!isLocked)
      throw new Conflict('idempotency-in-progress', 'The first request with this key is still running.')
    if (stored) {
      if (!stored.fingerprint.equals(fingerprint))
        throw new Invalid('idempotency-key-reused', [
          { pointer: '', code: 'reused', message: 'This Idempotency-Key was used with another body.' },
        ])
      void reply.header('idempotent-replayed', 'true')
      return { ...stored, body: await restoreBody(transaction, stored.body) }
    }
    const result = await operation(transaction)
    const body = result.storedBody ?? result.body
    saveResponse(transaction, route, key, { headers: {}, ...result, body, fingerprint })
    return result
  })
}

/** The key: 1 to 255 visible ASCII characters, bare or as a structured-field string. */
function idempotencyKey(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key']
  if (header === undefined) return null
  const key = String(header).replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw validationError('', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', 'wrong_format')
  return key
}

/** The body, and the ids in the path. */
const fingerprintInput = ({ params, body }: FastifyRequest): unknown =>
  Object.keys(params as object).length > 0 ? [params, body] : body

/** Objects with the same members give the same text, in whatever order they have them. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
