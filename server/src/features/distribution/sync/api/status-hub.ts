import { setImmediate as turn } from 'node:timers/promises'

/**
 * Publishes changes of sync states by all processes: one listener on the database, shared by all streams. A
 * notification has the ids of the listings; their states are read only when the organization has subscribers. A state
 * that lasts for less than a read may be skipped, the last one never is.
 */
export interface StatusHub {
  /** Publishes each sync status of the organization to the subscriber. Returns a function that unsubscribes. */
  follow(orgId: string, follower: Follower): () => void
  followers(): number
  /** Makes the subscribers of an organization check whether they may still read. */
  recheck(orgId: string): void
  /** Ends all subscriptions, because the process stops. */
  end(): void
  /** Handles a notification of the `sync` channel: an organization, and listings that have changed. */
  notified(payload: string): void
}

interface Follower {
  /** Called with JSON text. */
  changed(status: string): void
  ended(): void
  /** The subscriber may have lost its permission. */
  recheck?(): void
}

/** The statuses of these listings as they are now, as JSON text. */
export type ReadStatuses = (orgId: string, listingIds: readonly string[]) => Promise<string[]>

/** The maximum number of states in one read. */
const maxAtOnce = 500
/** The length of an id as text. */
const idLength = 36

export function createStatusHub(read: ReadStatuses): StatusHub {
  const followers = new Map<string, Set<Follower>>()
  /** The listings of each organization whose states are still to be read. */
  const changed = new Map<string, Set<string>>()
  let isReading = false

  /**
   * One query at a time, so that requests keep their connections. Listings that change meanwhile are read at the end.
   */
  async function readOn(): Promise<void> {
    isReading = true
    await turn() // notifications of the same turn are read together
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
      // Changes were missed: the clients reconnect and read all states again.
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
