import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { isUuid } from '#fields.ts'
import { ownerOfTarget } from './queries.ts'

type Owner = Awaited<ReturnType<typeof ownerOfTarget>>

/** For as long as a caller is remembered, so that a new tier counts everywhere alike. */
const ageMs = 30_000

/**
 * The organization of a channel target, for the door of the inbox: looked up once for many messages. A target that is
 * unknown, or cannot be looked up, has none, and its messages are counted by where they come from.
 */
export function targetOwners(database: Database): (targetId: string) => Promise<Owner> {
  const known = new LRUCache<string, { owner: Owner }>({ max: 10_000, ttl: ageMs })
  return async (targetId) => {
    if (!isUuid(targetId)) return null
    const found = known.get(targetId)
    if (found) return found.owner
    const owner = await ownerOfTarget(database, targetId).catch(() => undefined)
    if (owner === undefined) return null
    known.set(targetId, { owner })
    return owner
  }
}
