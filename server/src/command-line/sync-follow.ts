// Waits until what was asked for has arrived at the PMS, or has failed.
import type { Api } from './call-api.ts'
import { followSyncs } from './sync-events.ts'
import type { Meter } from './meter.ts'
import { statusesOf, statusOf, type SyncStatus } from './sync-records.ts'

/** Looked at anew so often, should the stream have missed something. */
const lookEveryMs = 10_000

export const isSettled = ({ status }: SyncStatus) => status === 'completed' || status === 'failed'

/** The states of these listings once none of them is waiting or under way. */
export async function followUntilSettled(
  api: Api,
  ids: readonly string[],
  meter: Meter,
): Promise<SyncStatus[]> {
  const states = new Map<string, SyncStatus>()
  const look = async () => {
    for (const state of await readStates(api, ids)) states.set(state.channel_listing_id, state)
    show(meter, ids.length, states)
    return [...states.values()].every(isSettled)
  }
  const stopping = new AbortController()
  const events = followSyncs(api, stopping.signal)
  // Without a stream we look now and then, and get there too.
  const nextEvent = () => events.next().catch(() => new Promise<never>(() => {}))
  try {
    // A state that was told before we asked may arrive late, so only a look is proof that all is settled.
    for (let next = nextEvent(); !(await look());) {
      const until = Date.now() + lookEveryMs
      for (;;) {
        const heard = await before(until, next)
        if (heard === 'late') break
        next = nextEvent()
        if (!heard.value) break
        if (!states.has(heard.value.channel_listing_id)) continue
        states.set(heard.value.channel_listing_id, heard.value)
        show(meter, ids.length, states)
        if ([...states.values()].every(isSettled)) break
      }
    }
  } finally {
    stopping.abort()
    meter.clear()
  }
  return [...states.values()]
}

function before<T>(time: number, promise: Promise<T>): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), Math.max(0, time - Date.now()))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A few are asked for one by one; for many the whole list takes fewer calls. */
async function readStates(api: Api, ids: readonly string[]): Promise<SyncStatus[]> {
  if (ids.length <= 5) return await Promise.all(ids.map((id) => statusOf(api, id)))
  const wanted = new Set(ids)
  return (await statusesOf(api)).filter(({ channel_listing_id }) => wanted.has(channel_listing_id))
}

function show(meter: Meter, total: number, states: ReadonlyMap<string, SyncStatus>) {
  const all = [...states.values()]
  const failed = all.filter(({ status }) => status === 'failed')
  if (total > 1)
    return meter.fill(
      all.filter(isSettled).length,
      total,
      'listings',
      failed.length > 0 ? causesOf(failed) : '',
    )
  const [one] = all
  meter.spin(one ? `${one.status}${one.attempts > 1 ? `, attempt ${one.attempts}` : ''}` : 'asking')
}

/** How many failed, and why: `3 failed: 2 × mapping_not_found, 1 × network`. */
export function causesOf(failed: readonly SyncStatus[]): string {
  const counts = new Map<string, number>()
  for (const { error_code } of failed) {
    const code = error_code ?? 'internal'
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const causes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} × ${code}`)
  return `${failed.length} failed: ${causes.join(', ')}`
}
