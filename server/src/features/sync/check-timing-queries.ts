import { sql, type RawBuilder } from 'kysely'

/** When the PMS is read back. */
export interface CheckTiming {
  /** How long after a push. */
  readonly verifyAfterMs: number
  /** How often while nothing is pushed. */
  readonly readBackMinutes: number
}

/**
 * So many times in a row the PMS may show something else than it took, with growing pauses, before it is pushed again:
 * it may apply late, and a booking of its own may be on its way here.
 */
export const maxPatientChecks = 4

/** A task that is still pending is asked for so many times; then the PMS is read back instead. */
export const maxPendingChecks = 8

/** Read back a little earlier than promised: what is due soon goes along with what is due. */
const earlyShare = 0.2

/** From a push, or a check that failed, to the next check: twice as long each time, then the idle interval. */
export const checkDelay = (
  { verifyAfterMs, readBackMinutes }: CheckTiming,
  failedChecks: RawBuilder<unknown>,
) =>
  sql`make_interval(secs => least(${verifyAfterMs / 1_000}::float8 * 2 ^ least((${failedChecks}), 20),
    ${readBackMinutes * 60}::float8))`

export const idleDelay = ({ readBackMinutes }: CheckTiming) =>
  sql`make_interval(secs => ${readBackMinutes * 60 * (1 - earlyShare)}::float8)`

/** Listings that are due within this time are read back with those that are due now. */
export const alongMs = ({ readBackMinutes }: CheckTiming) => readBackMinutes * 60_000 * earlyShare

/** More than so many tasks of one listing are not followed: the PMS is read back instead. */
export const maxTasks = 10

/** The tasks of a row `s` with those of an outcome `o`. */
export const joinedTasks = sql`case when jsonb_array_length(s.tasks) + jsonb_array_length(o.tasks) > ${maxTasks}::int
  then jsonb_build_array('') else s.tasks || o.tasks end`
