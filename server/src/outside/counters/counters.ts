/** The shared store of rate limits. */
export interface Counters {
  /**
   * Counts a request against all of the limits, or, when it does not fit into one of them, against none. Tells how it
   * stands with the limit that refused, else with the last one. @throws StoreAway
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

export interface Standing {
  readonly allowed: boolean
  /** Which of the limits this is about. */
  readonly at: number
  /** Of the counter that decided: what it counts up to, what is left of it, when its window ends. */
  readonly most: number
  readonly remaining: number
  readonly endsAt: Date
  readonly waitMs: number
}

/** Nothing can be counted now. */
export class StoreAway extends Error {
  constructor(cause?: unknown) {
    super('The store of the rate limits does not answer.', { cause })
    this.name = 'StoreAway'
  }
}
