import { Unavailable } from '#errors.ts'

/**
 * So many at a time, so many more that wait; who comes after them is sent away. An organization may hold half of all
 * places, and the next free one goes to whoever runs the fewest.
 */
export function openTurns(atATime: number, maxWaiting: number) {
  const running: string[] = []
  const waiting: { readonly orgId: string; readonly start: () => void }[] = []
  const maxOfOne = Math.ceil((atATime + maxWaiting) / 2)
  const runningOf = (orgId: string) => running.filter((one) => one === orgId).length
  const waitingOf = (orgId: string) => waiting.filter((one) => one.orgId === orgId).length
  const startNext = () => {
    const fewest = Math.min(...waiting.map(({ orgId }) => runningOf(orgId)))
    const at = waiting.findIndex(({ orgId }) => runningOf(orgId) === fewest)
    if (at < 0) return
    const [next] = waiting.splice(at, 1)
    running.push(next!.orgId)
    next!.start()
  }
  return async function inTurn<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const isFull = running.length >= atATime
    if (runningOf(orgId) + waitingOf(orgId) >= maxOfOne || (isFull && waiting.length >= maxWaiting))
      throw new Unavailable('Too many files are being sent at once.')
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

export type InTurn = ReturnType<typeof openTurns>
