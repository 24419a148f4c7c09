import { Unavailable } from '#errors.ts'

/**
 * Runs up to `concurrency` tasks at once; up to `maxWaiting` more wait, and any further one is rejected with Unavailable.
 * An organization may have half of all places, and the next free place goes to the organization that runs the fewest.
 */
export function openFairQueue(concurrency: number, maxWaiting: number) {
  const running: string[] = []
  const waiting: { readonly orgId: string; readonly start: () => void }[] = []
  const maxPerOrganization = Math.ceil((concurrency + maxWaiting) / 2)
  const runningOf = (orgId: string) => running.filter((runningOrgId) => runningOrgId === orgId).length
  const waitingOf = (orgId: string) => waiting.filter((task) => task.orgId === orgId).length
  const startNext = () => {
    const fewest = Math.min(...waiting.map(({ orgId }) => runningOf(orgId)))
    const index = waiting.findIndex(({ orgId }) => runningOf(orgId) === fewest)
    if (index < 0) return
    const [next] = waiting.splice(index, 1)
    running.push(next!.orgId)
    next!.start()
  }
  return async function runInTurn<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const isFull = running.length >= concurrency
    if (runningOf(orgId) + waitingOf(orgId) >= maxPerOrganization || (isFull && waiting.length >= maxWaiting))
      throw new Unavailable('Too many uploads are in progress. Try again later.')
    if (isFull) await new Promise<void>((start) => waiting.push({ orgId, start }))
    else running.push(orgId)
    try {
      return await work()
    } finally {
      running.splice(running.indexOf(orgId), 1)
      startNext()
    }
  }
}

export type RunInTurn = ReturnType<typeof openFairQueue>
