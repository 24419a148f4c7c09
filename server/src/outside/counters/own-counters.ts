import { standingOf, type Counters, type Limit, type LimitLeft } from './counters.ts'

/** Enough for any organization and caller; more only come from somebody who makes up addresses. */
const mostWindows = 100_000

interface Window {
  readonly key: string
  count: number
  /** By the clock that is never set. */
  readonly ends: number
  readonly endsAt: Date
}

/** A window and what may be counted in it. */
interface Counter {
  readonly window: Window
  readonly max: number
}

/** One process counts for itself: the same rules as the script of the shared store, in memory. */
export function ownCounters(now: () => number = () => performance.now()): Counters {
  /** In the order in which they began; one that begins again goes to the end. */
  const windows = new Map<string, Window>()

  const counterOf = (key: string, max: number, { windowMs }: Limit, time: number): Counter => {
    const known = windows.get(key)
    if (known && known.ends > time) return { window: known, max }
    return { window: { key, count: 0, ends: time + windowMs, endsAt: new Date(Date.now() + windowMs) }, max }
  }
  const count = (window: Window, cost: number, time: number) => {
    window.count += cost
    if (windows.get(window.key) !== window) windows.delete(window.key)
    windows.set(window.key, window)
    for (const [key, oldest] of windows) {
      if (oldest.ends > time && windows.size <= mostWindows) break
      windows.delete(key)
    }
  }
  return {
    async take(limits) {
      const time = now()
      const found = limits.map((limit) => {
        const { key, most, burst, cost } = limit
        const counters =
          burst === null
            ? [counterOf(key, most, limit, time)]
            : [counterOf(key, burst, limit, time), counterOf(`${key}:sustained`, most, limit, time)]
        return { limit, counters, fitting: counters.find(({ window, max }) => window.count + cost <= max) }
      })
      const refused = found.findIndex(({ fitting }) => !fitting)
      if (refused === -1) for (const { limit, fitting } of found) count(fitting!.window, limit.cost, time)
      const left = found.map(({ limit, counters }) => leftOf(limit, counters, time))
      return standingOf({ limits, refusedAt: refused === -1 ? null : refused, left })
    },
    reachable: async () => true,
    close: async () => windows.clear(),
  }
}

function leftOf({ cost, windowMs }: Limit, counters: readonly Counter[], time: number): LimitLeft {
  const fitting = counters.map(({ window, max }) => Math.max(0, Math.floor((max - window.count) / cost)))
  const [first] = counters
    .map(({ window }) => window)
    .filter((window) => window.count > 0)
    .sort((one, other) => one.ends - other.ends)
  return {
    remaining: fitting.reduce((sum, one) => sum + one),
    endsAt: first?.endsAt ?? new Date(Date.now() + windowMs),
    waitMs: first ? first.ends - time : windowMs,
  }
}
