/** Changes of sync states as they happen, from any process: one listener on the database, shared by all streams. */
export interface Live {
  /** Tells of each sync status of the organization. Returns what ends it. */
  follow(orgId: string, follower: Follower): () => void
  followers(): number
  /** Lets every follower go, because the process stops. */
  end(): void
  /** Takes a notification of the database's `sync` channel. */
  heard(payload: string): void
}

export interface Follower {
  /** Called with JSON text. */
  changed(status: string): void
  ended(): void
}

export function openLive(): Live {
  const followers = new Map<string, Set<Follower>>()
  return {
    follow(orgId, follower) {
      const those = followers.get(orgId) ?? new Set()
      followers.set(orgId, those.add(follower))
      return () => {
        those.delete(follower)
        if (those.size === 0) followers.delete(orgId)
      }
    },
    followers: () => [...followers.values()].reduce((sum, those) => sum + those.size, 0),
    end() {
      for (const those of followers.values()) for (const follower of those) follower.ended()
    },
    heard(payload) {
      // The payload is a JSON array [organization, status]; an organization is 36 characters.
      const those = followers.get(payload.slice(2, 38))
      if (!those) return
      const status = payload.slice(payload.indexOf('{'), -1)
      for (const follower of those) follower.changed(status)
    },
  }
}
