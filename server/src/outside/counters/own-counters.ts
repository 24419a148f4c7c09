import type { Counters, Limit, Standing } from './counters.ts'

/** Enough for any organization and caller; more only come from somebody who makes up addresses. */
const mostWindows = 100_000

interface Window {
  readonly key: string
  readonly count: number
  /** By the clock that is never set. */
  readonly ends: number
  readonly endsAt: Date
}

/** One process counts for itself: the same rules as the script of the shared store, in memory. */
export function ownCounters(now: () => number = () => performance.now()): Counters {
  /** In the order in which they began; one that begins again goes to the end. */
  const windows = new Map<string, Window>()

  const look = (key: string, { cost, windowMs }: Limit, most: number, time: number) => {
    const known = windows.get(key)
    const window =
      known && known.ends > time
        ? known
        : { key, count: 0, ends: time + windowMs, endsAt: new Date(Date.now() + windowMs) }
    return { window: { ...window, count: window.count + cost }, most, fits: window.count + cost <= most }
  }
  const begin = (window: Window, time: number) => {
    if (windows.get(window.key)?.ends !== window.ends) windows.delete(window.key)
    windows.set(window.key, window)
    for (const [key, oldest] of windows) {
      if (oldest.ends > time && windows.size <= mostWindows) break
      windows.delete(key)
    }
  }
  return {
    async take(limits) {
      const time = now()
      const taken = []
      for (const [at, limit] of limits.entries()) {
        let seen = look(limit.key, limit, limit.burst ?? limit.most, time)
        if (!seen.fits && limit.burst !== null) seen = look(`${limit.key}:sustained`, limit, limit.most, time)
        if (!seen.fits) return standing(false, at, seen, time)
        taken.push(seen)
      }
      for (const { window } of taken) begin(window, time)
      return standing(true, taken.length - 1, taken.at(-1)!, time)
    },
    reachable: async () => true,
    close: async () => windows.clear(),
  }
}

const standing = (
  allowed: boolean,
  at: number,
  { window, most }: { window: Window; most: number },
  time: number,
): Standing => ({
  allowed,
  at,
  most,
  remaining: allowed ? most - window.count : 0,
  endsAt: window.endsAt,
  waitMs: window.ends - time,
})
