/** Changes of sync states as they happen, from any process: one listener on the database, shared by all streams. */
export interface Live {
  /** Calls back with the JSON text of each sync status of the organization. Returns what ends it. */
  follow(orgId: string, changed: (status: string) => void): () => void
  followers(): number
  /** Takes a notification of the database's `sync` channel. */
  heard(payload: string): void
}

export function openLive(): Live {
  const followers = new Map<string, Set<(status: string) => void>>()
  return {
    follow(orgId, changed) {
      const those = followers.get(orgId) ?? new Set()
      followers.set(orgId, those.add(changed))
      return () => {
        those.delete(changed)
        if (those.size === 0) followers.delete(orgId)
      }
    },
    followers: () => [...followers.values()].reduce((sum, those) => sum + those.size, 0),
    heard(payload) {
      // The payload is a JSON array [organization, status]; an organization is 36 characters.
      const those = followers.get(payload.slice(2, 38))
      if (!those) return
      const status = payload.slice(payload.indexOf('{'), -1)
      for (const changed of those) changed(status)
    },
  }
}
