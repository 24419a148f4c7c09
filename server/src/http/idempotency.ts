import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { atomically, type Scope } from '#db/scope.ts'
import { Conflict, Invalid, Malformed } from '#errors.ts'
import { keepAnswer, keptAnswer, takeKey } from './queries.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  /** What is kept in place of the body, when the body holds a secret. */
  kept?: string
}

/**
 * Runs the work once per Idempotency-Key: the answer is kept in the transaction of its effect and replayed
 * to a repeated request. Failures are not kept, so a corrected or later try may succeed. Without the header
 * the work simply runs. `whole` makes the body again from what was kept in its place.
 */
export async function once(
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
  whole?: Whole,
): Promise<FastifyReply> {
  const answer = await answerOnce(request, reply, work, whole)
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(answer.body)
}

/** The same, for who has more to do before answering: what follows runs after the transaction has ended. */
export async function answerOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
  whole: Whole = async (_scope, kept) => kept,
): Promise<Answer> {
  const key = idempotencyKey(request)
  return key === null ? await work(request.scope) : await replayed(request, reply, { key, work, whole })
}

type Work = (scope: Scope) => Promise<Answer>
type Whole = (scope: Scope, kept: string) => Promise<string>

interface Once {
  readonly key: string
  readonly work: Work
  readonly whole: Whole
}

async function replayed(
  request: FastifyRequest,
  reply: FastifyReply,
  { key, work, whole }: Once,
): Promise<Answer> {
  const operation = `${request.method} ${request.routeOptions.url}`
  const fingerprint = createHash('sha256')
    .update(canonical(asked(request)))
    .digest()
  return await atomically(request.scope, async (transaction) => {
    // Sent together, and looked at in this order: what is kept is read when the key is taken.
    const [isTaken, kept] = await Promise.all([
      takeKey(transaction, operation, key),
      keptAnswer(transaction, operation, key),
    ])
    if (!isTaken)
      throw new Conflict('idempotency-in-progress', 'The first request with this key is still running.')
    if (kept) {
      if (!kept.fingerprint.equals(fingerprint))
        throw new Invalid('idempotency-key-reused', [
          { pointer: '', code: 'reused', message: 'This Idempotency-Key was used with another body.' },
        ])
      void reply.header('idempotent-replayed', 'true')
      return { ...kept, body: await whole(transaction, kept.body) }
    }
    const answer = await work(transaction)
    const body = answer.kept ?? answer.body
    keepAnswer(transaction, operation, key, { ...answer, body, fingerprint })
    return answer
  })
}

/** Bare or as a structured-field string; 1 to 255 visible ASCII characters. */
function idempotencyKey(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key']
  if (header === undefined) return null
  const key = String(header).replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Malformed('validation-error', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      faults: [
        {
          pointer: '',
          code: 'wrong_format',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        },
      ],
    })
  return key
}

/** What is asked for, and of which record. */
const asked = ({ params, body }: FastifyRequest): unknown =>
  Object.keys(params as object).length > 0 ? [params, body] : body

/** The same members in any order are the same request. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
