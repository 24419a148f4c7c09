/** The store of rate limits. */
export interface Counters {
  /**
   * Counts a request towards all of the limits, or towards none when one of them does not allow it.
   * @throws StoreUnavailable
   */
  take(limits: readonly Limit[]): Promise<RateLimitResult>
  /**
   * What is left under each limit, without counting anything.
   * @throws StoreUnavailable
   */
  read(limits: readonly Limit[]): Promise<RemainingRequests[]>
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

/** The cost that is allowed under a key within a window, which begins with the first counted request. */
export interface Limit {
  readonly key: string
  readonly max: number
  /** Allowed in addition, before `max`: the burst is counted under the key, the rest under `<key>:sustained`. */
  readonly burst: number | null
  readonly cost: number
  readonly windowMs: number
}

/** What the caller may still send under all limits together. */
export interface RateLimitResult {
  readonly allowed: boolean
  /** The index of the limit that was exceeded, else of the last one. */
  readonly at: number
  /** How many such requests a window allows. */
  readonly max: number
  /** How many more are allowed. It does not rise before `endsAt`. */
  readonly remaining: number
  readonly endsAt: Date
  readonly waitMs: number
}

/** How many requests of its cost one limit still allows, and when the first of its windows ends. */
export interface RemainingRequests {
  readonly remaining: number
  readonly endsAt: Date
  readonly waitMs: number
}

interface Decision {
  readonly limits: readonly Limit[]
  readonly refusedAt: number | null
  readonly left: readonly RemainingRequests[]
}

/** The result is that of the limit with the fewest remaining requests; among equals, the one that lasts longer. */
export function buildResult({ limits, refusedAt, left }: Decision): RateLimitResult {
  const tightest = left.reduce((one, other) => (isTighter(other, one) ? other : one))
  return {
    ...tightest,
    allowed: refusedAt === null,
    at: refusedAt ?? limits.length - 1,
    max: Math.min(...limits.map(maxRequests)),
  }
}

const isTighter = (one: RemainingRequests, other: RemainingRequests) =>
  one.remaining === other.remaining ? one.waitMs > other.waitMs : one.remaining < other.remaining

const maxRequests = ({ max, burst, cost }: Limit) => Math.floor(max / cost) + Math.floor((burst ?? 0) / cost)

/** Requests cannot be counted now. */
export class StoreUnavailable extends Error {
  constructor(cause?: unknown) {
    super('The store of the rate limits does not respond.', { cause })
    this.name = 'StoreUnavailable'
  }
}

/** Enough for all organizations and callers; more come only from an attacker with many addresses. */
const maxWindows = 100_000

export interface Window {
  readonly key: string
  count: number
  /** On the monotonic clock. */
  readonly ends: number
  readonly endsAt: Date
}

/** A window and the cost that it allows. */
interface WindowLimit {
  readonly window: Window
  readonly max: number
}

/** Counters in the memory of one process, with the same rules as the Redis script. */
export function memoryCounters(now: () => number = () => performance.now()): Counters {
  /** In the order of their begin. */
  const windows = new Map<string, Window>()

  const findWindow = (key: string, max: number, { windowMs }: Limit, time: number): WindowLimit => {
    const current = windows.get(key)
    if (current && current.ends > time) return { window: current, max }
    return { window: { key, count: 0, ends: time + windowMs, endsAt: new Date(Date.now() + windowMs) }, max }
  }
  const countersOf = (limit: Limit, time: number): WindowLimit[] => {
    const { key, max, burst } = limit
    if (burst === null) return [findWindow(key, max, limit, time)]
    return [findWindow(key, burst, limit, time), findWindow(`${key}:sustained`, max, limit, time)]
  }
  const count = (window: Window, cost: number, time: number) => {
    window.count += cost
    if (windows.get(window.key) !== window) windows.delete(window.key)
    windows.set(window.key, window)
    for (const [key, oldest] of windows) {
      if (oldest.ends > time && windows.size <= maxWindows) break
      windows.delete(key)
    }
  }
  return {
    async take(limits) {
      const time = now()
      const found = limits.map((limit) => {
        const counters = countersOf(limit, time)
        const fitting = counters.find(({ window, max }) => window.count + limit.cost <= max)
        return { limit, counters, fitting }
      })
      const refused = found.findIndex(({ fitting }) => !fitting)
      if (refused === -1) for (const { limit, fitting } of found) count(fitting!.window, limit.cost, time)
      const left = found.map(({ limit, counters }) => remainingRequests(limit, counters, time))
      return buildResult({ limits, refusedAt: refused === -1 ? null : refused, left })
    },
    read: async (limits) => {
      const time = now()
      return limits.map((limit) => remainingRequests(limit, countersOf(limit, time), time))
    },
    isReachable: async () => true,
    close: async () => windows.clear(),
  }
}

export function remainingRequests(
  { cost, windowMs }: Limit,
  counters: readonly WindowLimit[],
  time: number,
): RemainingRequests {
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
