/** Waits until the requested syncs have completed or failed. */
import type { ApiClient } from './api-client.ts'
import { streamSyncStatuses } from './sync-events.ts'
import type { ProgressIndicator } from './progress-indicator.ts'
import { listStatuses, getStatus, type SyncStatus } from './sync-records.ts'

/** The statuses are read again this often, in case the stream missed a change. */
const refreshMs = 10_000

const isSettled = ({ status }: SyncStatus) => status === 'completed' || status === 'failed'

/** Resolves with the statuses of these listings once none of them is pending or in progress. */
export async function waitUntilSettled(
  api: ApiClient,
  ids: readonly string[],
  progress: ProgressIndicator,
): Promise<SyncStatus[]> {
  const states = new Map<string, SyncStatus>()
  const refresh = async () => {
    for (const state of await readStatuses(api, ids)) states.set(state.channel_listing_id, state)
    showProgress(progress, ids.length, states)
    return [...states.values()].every(isSettled)
  }
  const stopping = new AbortController()
  const events = streamSyncStatuses(api, stopping.signal)
  // When the stream fails, reading the statuses now and then is enough.
  const nextEvent = () => events.next().catch(() => new Promise<never>(() => {}))
  try {
    // An event from before the request may arrive late, so only reading the statuses proves that all are settled.
    for (let next = nextEvent(); !(await refresh());) {
      const until = Date.now() + refreshMs
      for (;;) {
        const event = await withDeadline(until, next)
        if (event === 'timeout') break
        next = nextEvent()
        if (!event.value) break
        if (!states.has(event.value.channel_listing_id)) continue
        states.set(event.value.channel_listing_id, event.value)
        showProgress(progress, ids.length, states)
        if ([...states.values()].every(isSettled)) break
      }
    }
  } finally {
    stopping.abort()
    // A generator that is not read on would keep its connection and its timers.
    events.return().catch(() => {})
    progress.clear()
  }
  return [...states.values()]
}

function withDeadline<T>(time: number, promise: Promise<T>): Promise<T | 'timeout'> {
  const { promise: timeout, resolve } = Promise.withResolvers<'timeout'>()
  const timer = setTimeout(() => resolve('timeout'), Math.max(0, time - Date.now()))
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

/** A few are read one by one; for many, the whole list takes fewer calls. */
async function readStatuses(api: ApiClient, ids: readonly string[]): Promise<SyncStatus[]> {
  if (ids.length <= 5) return await Promise.all(ids.map((id) => getStatus(api, id)))
  const wanted = new Set(ids)
  return (await listStatuses(api)).filter(({ channel_listing_id }) => wanted.has(channel_listing_id))
}

function showProgress(progress: ProgressIndicator, total: number, states: ReadonlyMap<string, SyncStatus>) {
  const all = [...states.values()]
  const failed = all.filter(({ status }) => status === 'failed')
  if (total > 1)
    return progress.showBar(
      all.filter(isSettled).length,
      total,
      'listings',
      failed.length > 0 ? summarizeFailures(failed) : '',
    )
  const [one] = all
  progress.showSpinner(
    one ? `${one.status}${one.attempts > 1 ? `, attempt ${one.attempts}` : ''}` : 'requesting',
  )
}

/** How many failed and why: `3 failed: 2 × mapping_not_found, 1 × network`. */
export function summarizeFailures(failed: readonly SyncStatus[]): string {
  const counts = new Map<string, number>()
  for (const { error_code } of failed) {
    const code = error_code ?? 'internal'
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const causes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} × ${code}`)
  return `${failed.length} failed: ${causes.join(', ')}`
}
