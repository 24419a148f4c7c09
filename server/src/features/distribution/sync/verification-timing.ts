import { sql, type RawBuilder } from 'kysely'

/** When the PMS is read back. */
export interface VerificationTiming {
  /** How long after a push. */
  readonly verifyAfterMs: number
  /** How often while nothing is pushed. */
  readonly readBackMinutes: number
}

/**
 * The PMS may show something else than it accepted this many times in a row, with growing pauses, before it is pushed
 * again: it may apply late, and a booking of its own may be on its way here.
 */
export const maxPatientChecks = 4

/** A task that is still pending is asked for this many times; then the PMS is read back instead. */
export const maxPendingChecks = 8

/** More tasks of one listing than this are not followed: the PMS is read back instead. */
export const maxTasks = 10

/** Read back a little earlier than promised: what is due soon goes along with what is due. */
const earlyShare = 0.2

/** From a push, or a check that failed, to the next check: twice as long each time, then the idle interval. */
export const checkDelay = (
  { verifyAfterMs, readBackMinutes }: VerificationTiming,
  failedChecks: RawBuilder<unknown>,
) =>
  sql`make_interval(secs => least(${verifyAfterMs / 1_000}::float8 * 2 ^ least((${failedChecks}), 20),
    ${readBackMinutes * 60}::float8))`

export const idleDelay = ({ readBackMinutes }: VerificationTiming) =>
  sql`make_interval(secs => ${readBackMinutes * 60 * (1 - earlyShare)}::float8)`

/** Between two jobs that read a target back: a busy one is read back in batches, not after each push. */
export const minPause = ({ verifyAfterMs }: VerificationTiming) =>
  sql`make_interval(secs => ${(2 * verifyAfterMs) / 1_000}::float8)`

/** Listings that are due within this time are read back with those that are due now. */
export const dueSoonMs = ({ readBackMinutes }: VerificationTiming) => readBackMinutes * 60_000 * earlyShare
