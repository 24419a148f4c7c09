import { sql, type RawBuilder } from 'kysely'

/** When the PMS is read back. */
export interface VerificationTiming {
  /** How long after a push. */
  readonly verifyAfterMs: number
  /** How often while nothing is pushed. */
  readonly readBackMinutes: number
}

/**
 * A difference is read again this many times, with growing pauses, before it is pushed: the PMS may apply changes
 * late, or report a new booking soon.
 */
export const maxRepeatedChecks = 4

/** A pending task is read this many times; then the PMS is read back instead. */
export const maxPendingChecks = 8

/** With more tasks than this of one listing, the PMS is read back instead. */
export const maxTasks = 10

/** Checks that are due within this share of the interval run with those that are due. */
const earlyShare = 0.2

/** The delay from a push or failed check to the next check: doubled each time, up to the idle interval. */
export const checkDelay = (
  { verifyAfterMs, readBackMinutes }: VerificationTiming,
  failedChecks: RawBuilder<unknown>,
) =>
  sql`make_interval(secs => least(${verifyAfterMs / 1_000}::float8 * 2 ^ least((${failedChecks}), 20),
    ${readBackMinutes * 60}::float8))`

export const idleDelay = ({ readBackMinutes }: VerificationTiming) =>
  sql`make_interval(secs => ${readBackMinutes * 60 * (1 - earlyShare)}::float8)`

/**
 * The minimum time between two jobs that read a target back: a busy one is read back in batches, not after each push.
 */
export const minPause = ({ verifyAfterMs }: VerificationTiming) =>
  sql`make_interval(secs => ${(2 * verifyAfterMs) / 1_000}::float8)`

/** Listings that are due within this time are read back with those that are due now. */
export const dueSoonMs = ({ readBackMinutes }: VerificationTiming) => readBackMinutes * 60_000 * earlyShare
