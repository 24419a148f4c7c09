/** The shared store of rate limits. */
export interface Counters {
  /**
   * Counts a request against all of the limits, or, when it does not fit into one of them, against none.
   * @throws StoreAway
   */
  take(limits: readonly Limit[]): Promise<Standing>
  reachable(): Promise<boolean>
  close(): Promise<void>
}

/** So much may be counted under a key within a window, which begins with the first that is counted. */
export interface Limit {
  readonly key: string
  readonly most: number
  /** What may be counted before `most` begins to be: the one under the key, the other under `<key>:sustained`. */
  readonly burst: number | null
  readonly cost: number
  readonly windowMs: number
}

/** What the caller may still send, all limits together. */
export interface Standing {
  readonly allowed: boolean
  /** The limit that refused, else the last one. */
  readonly at: number
  /** How many such requests fit into a window. */
  readonly most: number
  /** How many more fit into what is left. It does not rise before `endsAt`. */
  readonly remaining: number
  readonly endsAt: Date
  readonly waitMs: number
}

/** What is left of one limit, in requests of its cost, and when the first of its windows ends. */
export interface LimitLeft {
  readonly remaining: number
  readonly endsAt: Date
  readonly waitMs: number
}

interface Decision {
  readonly limits: readonly Limit[]
  readonly refusedAt: number | null
  readonly left: readonly LimitLeft[]
}

/** The tightest limit decides what is left; of equally tight ones the one that stays so for longer. */
export function standingOf({ limits, refusedAt, left }: Decision): Standing {
  const tightest = left.reduce((one, other) => (isTighter(other, one) ? other : one))
  return {
    ...tightest,
    allowed: refusedAt === null,
    at: refusedAt ?? limits.length - 1,
    most: Math.min(...limits.map(capacityOf)),
  }
}

const isTighter = (one: LimitLeft, other: LimitLeft) =>
  one.remaining === other.remaining ? one.waitMs > other.waitMs : one.remaining < other.remaining

const capacityOf = ({ most, burst, cost }: Limit) => Math.floor(most / cost) + Math.floor((burst ?? 0) / cost)

/** Nothing can be counted now. */
export class StoreAway extends Error {
  constructor(cause?: unknown) {
    super('The store of the rate limits does not answer.', { cause })
    this.name = 'StoreAway'
  }
}
