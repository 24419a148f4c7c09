import type { Allowance, ClaimedJob } from './queries.ts'

/** A job that holds a slot, with its organization and resource. */
type RunningJob = Pick<ClaimedJob, 'org_id' | 'resource'>

/** A poll claims no more than this, so that other processes get their share. */
const maxBatchSize = 10
/** Beyond this, the resource that timed out the longest ago is dropped. */
const maxSlowResources = 1_000

/**
 * Divides the slots of one queue in one process. An organization gets a further slot only while more slots are free than
 * it holds: a single one gets half of them, a second one a quarter, and an organization without a slot gets the next
 * free one. A resource that timed out (a webhook endpoint, a PMS, a calendar) gets one slot until it responds in time.
 */
export function openFairShares(slots: number) {
  const running = new Set<RunningJob>()
  const slow = new Set<string>()
  const countBy = (key: (job: RunningJob) => string | null) => {
    const counts = new Map<string, number>()
    for (const job of running) {
      const name = key(job)
      if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return counts
  }
  return {
    allowance(): Allowance {
      const free = slots - running.size
      const heldByOrg = countBy(({ org_id }) => org_id)
      const heldBelowShare = [...heldByOrg.values()].filter((held) => held < free)
      // The whole batch may belong to the organization that holds the most and may still get more.
      const batchSize = Math.ceil((free - Math.max(0, ...heldBelowShare)) / 2)
      const heldByResource = countBy(({ resource }) => resource)
      return {
        batchSize: Math.min(maxBatchSize, batchSize),
        fullOrgs: [...heldByOrg].flatMap(([orgId, held]) => (held < free ? [] : [orgId])),
        busyResources: [...slow].filter((name) => heldByResource.has(name)),
        slowResources: [...slow],
      }
    },
    isSlow: ({ resource }: RunningJob) => resource !== null && slow.has(resource),
    report({ resource }: RunningJob, inTime: boolean) {
      if (resource === null) return
      slow.delete(resource)
      if (inTime) return
      slow.add(resource)
      if (slow.size > maxSlowResources) slow.delete(slow.values().next().value!)
    },
    start: (job: RunningJob) => void running.add(job),
    end: (job: RunningJob) => void running.delete(job),
  }
}
