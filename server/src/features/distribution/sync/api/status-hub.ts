import { setImmediate as turn } from 'node:timers/promises'

/**
 * Changes of sync states as they happen, from any process: one listener on the database, shared by all streams. The
 * database tells which listing has changed; its state is read for those who follow, and for nobody else. A state that
 * lasts for less than a read may be skipped, the last one never is.
 */
export interface StatusHub {
  /** Tells of each sync status of the organization. Returns what ends it. */
  follow(orgId: string, follower: Follower): () => void
  followers(): number
  /** Asks the followers of an organization whether they may go on. */
  recheck(orgId: string): void
  /** Lets every follower go, because the process stops. */
  end(): void
  /** Takes a notification of the database's `sync` channel: an organization, and listings that have changed. */
  notified(payload: string): void
}

interface Follower {
  /** Called with JSON text. */
  changed(status: string): void
  ended(): void
  /** Somebody's right to follow may have ended. */
  recheck?(): void
}

/** The statuses of these listings as they are now, as JSON text. */
export type ReadStatuses = (orgId: string, listingIds: readonly string[]) => Promise<string[]>

/** So many states are read at once. */
const maxAtOnce = 500
/** An id in letters. */
const idLength = 36

export function createStatusHub(read: ReadStatuses): StatusHub {
  const followers = new Map<string, Set<Follower>>()
  /** By organization, listings whose states are still to be read. */
  const changed = new Map<string, Set<string>>()
  let isReading = false

  /** One question at a time, so that requests keep their connections; what is announced meanwhile comes to the end. */
  async function readOn(): Promise<void> {
    isReading = true
    await turn() // what comes with it is read with it
    for (const [orgId, listingIds] of changed) {
      const next = [...listingIds]
      const later = next.splice(maxAtOnce)
      changed.delete(orgId)
      if (later.length > 0) changed.set(orgId, new Set(later))
      await publish(orgId, next)
    }
    isReading = false
  }

  async function publish(orgId: string, listingIds: readonly string[]): Promise<void> {
    if (!followers.has(orgId)) return
    try {
      const statuses = await read(orgId, listingIds)
      for (const follower of followers.get(orgId) ?? []) statuses.forEach(follower.changed)
    } catch {
      // They have missed something: their readers come back and read the state anew.
      for (const follower of followers.get(orgId) ?? []) follower.ended()
    }
  }

  return {
    follow(orgId, follower) {
      const those = followers.get(orgId) ?? new Set()
      followers.set(orgId, those.add(follower))
      return () => {
        those.delete(follower)
        if (those.size === 0) followers.delete(orgId)
      }
    },
    recheck(orgId) {
      for (const follower of followers.get(orgId) ?? []) follower.recheck?.()
    },
    followers: () => [...followers.values()].reduce((sum, those) => sum + those.size, 0),
    end() {
      for (const those of followers.values()) for (const follower of those) follower.ended()
    },
    notified(payload) {
      const orgId = payload.slice(0, idLength)
      if (!followers.has(orgId)) return
      const listingIds = changed.get(orgId) ?? new Set()
      for (const listingId of payload.slice(idLength + 1).split(' ')) listingIds.add(listingId)
      changed.set(orgId, listingIds)
      if (!isReading) void readOn()
    },
  }
}
