/** How many streams a process may have open. */
export interface StreamSlots {
  /** Returns false when the organization has as many streams as are left for all. */
  take(orgId: string): boolean
  release(orgId: string): void
}

/** An organization gets half of the slots that others do not use, so that its streams never keep out all others. */
export function createStreamSlots(max: number): StreamSlots {
  const taken = new Map<string, number>()
  let free = max
  return {
    take(orgId) {
      const own = taken.get(orgId) ?? 0
      if (own >= free) return false
      taken.set(orgId, own + 1)
      free--
      return true
    },
    release(orgId) {
      const own = taken.get(orgId)! - 1
      if (own === 0) taken.delete(orgId)
      else taken.set(orgId, own)
      free++
    },
  }
}

/** Idle, they take some 20 MB of memory together. */
export const streamSlots: StreamSlots = createStreamSlots(2_000)
