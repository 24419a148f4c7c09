import { createHash } from 'node:crypto'
import type { Answered, Ledger } from './store.ts'
import { ApiError } from './errors.ts'

export type Reply = { status: number; body: object; isReplayed: boolean }

export type Keys = ReturnType<typeof openIdempotencyKeys>

/**
 * A repeated key gets the first answer, errors after the work has begun included. With other parameters it is an
 * error, and while the first request runs, a conflict. An error before the work begins is not kept.
 */
export function openIdempotencyKeys(ledger: Ledger) {
  const running = new Set<string>()

  return {
    /** @throws ApiError */
    async once(key: string | undefined, request: string, work: () => Promise<Reply>): Promise<Reply> {
      if (key === undefined) return await work()
      if (key.length > 255) throw new ApiError('An idempotency key has at most 255 characters.')
      const digest = createHash('sha256').update(request).digest('base64')
      const before = ledger.answered(key)
      if (before) return replayed(before, digest)
      if (running.has(key))
        throw new ApiError('There is currently another in-progress request using this idempotency key.', {
          status: 409,
          code: 'idempotency_key_in_use',
        })
      running.add(key)
      try {
        const { status, body } = await work()
        ledger.write({ answered: { key, digest, status, body } })
        return { status, body, isReplayed: false }
      } catch (error) {
        if (error instanceof ApiError && error.isKept)
          ledger.write({ answered: { key, digest, status: error.status, body: error.body } })
        throw error
      } finally {
        running.delete(key)
      }
    },
  }
}

function replayed({ digest: first, status, body, key }: Answered, digest: string): Reply {
  if (first !== digest)
    throw new ApiError(
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
        `Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    )
  return { status, body, isReplayed: true }
}
