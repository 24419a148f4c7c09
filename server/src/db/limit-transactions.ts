import { Unavailable } from '#errors.ts'
import type { Database } from './connect.ts'

/** The transactions of an organization that run, and the starts of those that wait. */
interface Turns {
  running: number
  readonly waiting: Set<() => void>
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
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        turns.waiting.delete(start)
        reject(new Unavailable('Too many changes of the organization wait for each other.'))
      }, maxWaitMs)
      turns.waiting.add(start)
    })
  }

  /** The next one takes over the turn, or there is one less. */
  const passTurn = (orgId: string) => {
    const turns = turnsOf.get(orgId)!
    const [next] = turns.waiting
    if (next) {
      turns.waiting.delete(next)
      next()
    } else if (--turns.running === 0) turnsOf.delete(orgId)
  }

  return {
    ...database,
    async transaction(context, work) {
      const { orgId } = context
      if (orgId === null) return await database.transaction(context, work)
      await takeTurn(orgId)
      try {
        return await database.transaction(context, work)
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
