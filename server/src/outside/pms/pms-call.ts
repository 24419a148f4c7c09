import type { PmsFailure } from './pms-failure.ts'

/** Lets calls through as the PMS allows, and learns from how it answers. */
export interface Gate {
  /** Waits for its turn. @throws PmsFailure `rate_limited` or `circuit_open` when it is not worth waiting for. */
  pass(kind: string): Promise<void>
  answered(kind: string, heard: Heard): void
  failed(failure: PmsFailure): void
}

/** What an answer says of limits. */
export interface Heard {
  readonly status: number
  readonly retryAfter: Date | null
  readonly limit: number | null
  readonly remaining: number | null
  readonly resetAt: Date | null
}

/** What goes along with each call to a PMS. */
export interface Call {
  readonly gate?: Gate
  /** The same key twice has one effect. */
  readonly idempotencyKey?: string
  readonly traceparent?: string | null
  readonly signal?: AbortSignal
}
