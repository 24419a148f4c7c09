import { Unavailable } from '#errors.ts'
import { isConnectionLoss, type Database } from './connect.ts'

interface Waiting {
  readonly start: () => void
  readonly reject: (error: unknown) => void
}

/** The transactions of an organization that run, and those that wait. */
interface Turns {
  running: number
  readonly waiting: Set<Waiting>
}

/**
 * Transactions of one organization hold at most `maxPerOrg` connections at once; further ones wait before they take one, in
 * order. So changes that wait for each other's locks leave connections for reads, and for other organizations.
 */
export function limitTransactions(
  database: Database,
  { maxPerOrg, maxWaitMs }: { maxPerOrg: number; maxWaitMs: number },
): Database {
  const turnsOf = new Map<string, Turns>()

  const takeTurn = async (orgId: string) => {
    const turns = turnsOf.get(orgId) ?? { running: 0, waiting: new Set() }
    turnsOf.set(orgId, turns)
    if (turns.running < maxPerOrg) return void turns.running++
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { start: resolve, reject }
    turns.waiting.add(waiting)
    const timer = setTimeout(() => {
      turns.waiting.delete(waiting)
      reject(new Unavailable('Too many changes of the organization wait for each other.'))
    }, maxWaitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /** The next one takes over the turn, or there is one less. */
  const passTurn = (orgId: string) => {
    const turns = turnsOf.get(orgId)!
    const [next] = turns.waiting
    if (next) {
      turns.waiting.delete(next)
      next.start()
    } else if (--turns.running === 0) turnsOf.delete(orgId)
  }

  const rejectWaiting = (orgId: string, error: unknown) => {
    const { waiting } = turnsOf.get(orgId)!
    waiting.forEach(({ reject }) => reject(error))
    waiting.clear()
  }

  return {
    ...database,
    async transaction(context, work) {
      const { orgId } = context
      if (orgId === null) return await database.transaction(context, work)
      await takeTurn(orgId)
      try {
        return await database.transaction(context, work)
      } catch (error) {
        // Without the database, those that wait would only fail later.
        if (isConnectionLoss(error) && !('severity' in (error as Error))) rejectWaiting(orgId, error)
        throw error
      } finally {
        passTurn(orgId)
      }
    },
    stats() {
      const waiting = [...turnsOf.values()].reduce((sum, turns) => sum + turns.waiting.size, 0)
      const stats = database.stats()
      return { ...stats, waiting: stats.waiting + waiting }
    },
  }
}
