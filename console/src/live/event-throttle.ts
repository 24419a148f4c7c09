import type { SyncStatus } from '@vacancy/client'

/** Each state of a listing is shown at least this long; a fast sync would otherwise be invisible. */
const minShownMs = 160
/** Changes of many listings are rendered together: one render per event would block the page. */
const batchMs = 30
const maxQueuedStates = 3

interface Queue {
  statuses: SyncStatus[]
  shownAt: number
}

/** Shows the states of each listing one after the other, and always the last one. */
export const throttleEvents = (show: (batch: Map<string, SyncStatus>) => void) => {
  const queues = new Map<string, Queue>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    timer = undefined
    const now = performance.now()
    const batch = new Map<string, SyncStatus>()
    for (const [id, queue] of queues) {
      if (now - queue.shownAt < minShownMs) continue
      const next = queue.statuses.shift()
      if (next) batch.set(id, next)
      else queues.delete(id)
      queue.shownAt = now
    }
    if (batch.size > 0) show(batch)
    if (queues.size > 0) timer = setTimeout(flush, batchMs)
  }

  return (status: SyncStatus) => {
    const { channel_listing_id: id } = status
    const queue = queues.get(id) ?? { statuses: [], shownAt: -Infinity }
    queues.set(id, queue)
    append(queue.statuses, status)
    timer ??= setTimeout(flush, batchMs)
  }
}

/** A repeated state replaces the one before it; a full queue drops its oldest. */
const append = (statuses: SyncStatus[], status: SyncStatus) => {
  if (statuses.at(-1)?.status === status.status) statuses.pop()
  statuses.push(status)
  if (statuses.length > maxQueuedStates) statuses.shift()
}
