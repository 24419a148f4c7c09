import type { PmsFailure } from './pms-failure.ts'

/** Delays calls so that they stay within the limits of the PMS, and adapts to its responses. */
export interface RateLimiter {
  /** Waits until a call may be sent. @throws PmsFailure `rate_limited` or `circuit_open` when the wait is too long. */
  acquire(kind: string): Promise<void>
  recordResponse(kind: string, headers: RateLimitHeaders): void
  recordFailure(kind: string, failure: PmsFailure): void
}

/** The status and the rate limit headers of a response. */
export interface RateLimitHeaders {
  readonly status: number
  readonly retryAfter: Date | null
  readonly limit: number | null
  readonly remaining: number | null
  readonly resetAt: Date | null
}

/** The options of each call to a PMS. */
export interface CallContext {
  readonly rateLimiter?: RateLimiter
  /** Two calls with the same key have one effect. */
  readonly idempotencyKey?: string
  readonly traceparent?: string | null
  readonly signal?: AbortSignal
}
