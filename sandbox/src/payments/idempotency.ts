import { createHash } from 'node:crypto'
import type { Answered, Ledger } from './ledger.ts'
import { Refusal } from './refusal.ts'

export type Reply = { status: number; body: object; isReplayed: boolean }

export type Keys = ReturnType<typeof openKeys>

/**
 * The same key is the same answer, whatever it was once the work had begun; with other parameters it is an
 * error, and while the first request runs, a conflict. What fails before the work begins is not kept.
 */
export function openKeys(ledger: Ledger) {
  const running = new Set<string>()

  return {
    /** @throws Refusal */
    async once(key: string | undefined, asked: string, work: () => Promise<Reply>): Promise<Reply> {
      if (key === undefined) return await work()
      if (key.length > 255) throw new Refusal('An idempotency key has at most 255 characters.')
      const digest = createHash('sha256').update(asked).digest('base64')
      const before = ledger.answered(key)
      if (before) return replayed(before, digest)
      if (running.has(key))
        throw new Refusal('There is currently another in-progress request using this idempotency key.', {
          status: 409,
          code: 'idempotency_key_in_use',
        })
      running.add(key)
      try {
        const { status, body } = await work()
        ledger.write({ answered: { key, digest, status, body } })
        return { status, body, isReplayed: false }
      } catch (error) {
        if (error instanceof Refusal && error.isKept)
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
    throw new Refusal(
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
        `Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    )
  return { status, body, isReplayed: true }
}
