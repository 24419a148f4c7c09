import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { isUuid } from '#schema/fields.ts'
import { getTargetOwner } from './queries.ts'

type Owner = Awaited<ReturnType<typeof getTargetOwner>>

/** As long as a caller is cached, so that a new tier takes effect everywhere at the same time. */
const maxAgeMs = 30_000

/**
 * Caches the organization of each channel target, which limits how many messages are accepted for it. Null for a target
 * that is unknown or cannot be loaded; its messages are counted by the address of the sender.
 */
export function cacheTargetOwners(database: Database): (targetId: string) => Promise<Owner> {
  const cache = new LRUCache<string, { owner: Owner }>({ max: 10_000, ttl: maxAgeMs })
  return async (targetId) => {
    if (!isUuid(targetId)) return null
    const cached = cache.get(targetId)
    if (cached) return cached.owner
    const owner = await getTargetOwner(database, targetId).catch(() => undefined)
    if (owner === undefined) return null
    cache.set(targetId, { owner })
    return owner
  }
}
