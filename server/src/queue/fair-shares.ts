import type { ClaimedJob } from './job.ts'

/** What one look at the queue may take. */
export interface Allowance {
  /** So many jobs at most. */
  readonly batchSize: number
  /** Organizations and resources that get no further place now. */
  readonly fullOrgs: readonly string[]
  readonly busyResources: readonly string[]
  /** Resources of which one job at most may be taken. */
  readonly slowResources: readonly string[]
}

/** A job that holds a place, with its organization and resource. A job of an earlier version names neither. */
type Holder = Pick<ClaimedJob, 'groupId' | 'groupTier'>

/** One look takes no more than this, so that other processes get their share. */
const maxBatchSize = 10
/** Beyond this the resource that timed out the longest ago is forgotten. */
const maxSlowResources = 1_000

/**
 * Divides the places of one queue in one process. An organization gets a further place only while more places are free
 * than it holds: alone it holds half of them, a second one beside it a quarter, and whoever holds none gets the next
 * free one. A resource that timed out (a webhook endpoint, a PMS, a calendar) gets one place until it answers in time.
 */
export type FairShares = ReturnType<typeof openFairShares>

export function openFairShares(places: number) {
  const holders = new Set<Holder>()
  const slow = new Set<string>()
  const countBy = (nameOf: (holder: Holder) => string | null) => {
    const counts = new Map<string, number>()
    for (const holder of holders) {
      const name = nameOf(holder)
      if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return counts
  }
  return {
    allowance(): Allowance {
      const free = places - holders.size
      const heldByOrg = countBy(({ groupId }) => groupId)
      const growing = [...heldByOrg.values()].filter((held) => held < free)
      // The whole batch may belong to the organization that holds the most and may still get more.
      const batchSize = Math.ceil((free - Math.max(0, ...growing)) / 2)
      const held = countBy(({ groupTier }) => groupTier)
      return {
        batchSize: Math.min(maxBatchSize, batchSize),
        fullOrgs: [...heldByOrg].flatMap(([orgId, held]) => (held < free ? [] : [orgId])),
        busyResources: [...slow].filter((name) => held.has(name)),
        slowResources: [...slow],
      }
    },
    isSlow: ({ groupTier }: Holder) => Boolean(groupTier && slow.has(groupTier)),
    report({ groupTier }: Holder, inTime: boolean) {
      if (!groupTier) return
      slow.delete(groupTier)
      if (inTime) return
      slow.add(groupTier)
      if (slow.size > maxSlowResources) slow.delete(slow.values().next().value!)
    },
    start: (holder: Holder) => void holders.add(holder),
    end: (holder: Holder) => void holders.delete(holder),
  }
}
