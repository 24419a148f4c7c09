/** The store of rate limits. */
export interface Counters {
  /**
   * Counts a request towards all of the limits, or towards none when one of them does not allow it.
   * @throws StoreUnavailable
   */
  take(limits: readonly Limit[]): Promise<RateLimitResult>
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
