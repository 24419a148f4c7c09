import { sql, type RawBuilder } from 'kysely'

/** The states of a listing's sync. This file is the only place that defines their transitions. */
export const syncStates = ['pending', 'in_progress', 'completed', 'failed'] as const
export type SyncState = (typeof syncStates)[number]

/** The events of a listing's sync. */
export const syncEvents = {
  requested: 'A change, a user or the scheduler requests a push.',
  claimed: 'A worker claims the listing for an attempt, or claims it again after the first worker died.',
  accepted: 'The PMS accepted everything, and nothing was requested meanwhile.',
  overtaken: 'The attempt is over, and another push was requested meanwhile.',
  retryScheduled: 'The attempt failed, or could not be made, and another one is planned.',
  refused: 'The attempt failed, and no further one is planned.',
  claimLost: 'The result of an attempt came too late: the state at the PMS is unknown.',
  suspended: 'A dead attempt is ended, because the listing is paused or its target is inactive.',
  moved: 'The listing was moved to another unit or target.',
  rejectedLater: 'The PMS accepted a push and then reported that it could not apply it.',
} as const
export type SyncEvent = keyof typeof syncEvents

/** The next state. A transition that is missing cannot happen: the statement skips such a listing. */
export const transitions: Readonly<Record<SyncState, Readonly<Partial<Record<SyncEvent, SyncState>>>>> = {
  pending: {
    requested: 'pending',
    claimed: 'in_progress',
    claimLost: 'pending',
    suspended: 'pending',
    moved: 'pending',
  },
  in_progress: {
    // What is requested during an attempt is sent right after it.
    requested: 'in_progress',
    claimed: 'in_progress',
    accepted: 'completed',
    overtaken: 'pending',
    retryScheduled: 'pending',
    refused: 'failed',
    claimLost: 'in_progress',
    suspended: 'pending',
    moved: 'pending',
  },
  completed: { requested: 'pending', claimLost: 'pending', moved: 'completed', rejectedLater: 'failed' },
  failed: { requested: 'pending', claimLost: 'pending', moved: 'failed' },
}

/** An SQL expression: the next state of the row `sync` in a statement that selects only states with this event. */
export function nextState(event: SyncEvent): RawBuilder<SyncState> {
  const cases = syncStates.flatMap((state) => {
    const next = transitions[state][event]
    return next ? [sql`when ${sql.lit(state)} then ${sql.lit(next)}`] : []
  })
  return sql<SyncState>`(case sync.status ${sql.join(cases, sql` `)} end)`
}

/** The states in which an event can happen, for the condition of a statement. */
export const statesThatKnow = (event: SyncEvent): RawBuilder<unknown> =>
  sql`(${sql.join(syncStates.filter((state) => transitions[state][event]).map((state) => sql.lit(state)))})`

export const syncTriggers = [
  'manual',
  'change',
  'schedule',
  'webhook',
  'reconcile',
  'retry',
  'reconnect',
  'connector',
] as const
export type SyncTrigger = (typeof syncTriggers)[number]

/** A user waits for these: they skip the debounce and reset the attempts. */
export const skipsDebounce: ReadonlySet<SyncTrigger> = new Set(['manual', 'connector', 'reconnect', 'retry'])
/** Nothing has changed here: the PMS is read back, and differences are pushed. */
export const asksForReadBack: ReadonlySet<SyncTrigger> = new Set(['schedule', 'webhook', 'reconcile'])
/** A read-back or full sync covers every night. */
export const concernsAllNights: ReadonlySet<SyncTrigger> = new Set([
  'manual',
  'schedule',
  'webhook',
  'reconcile',
  'connector',
])

/** The maximum number of attempts. */
export const maxAttempts = 5
const maxWaitSeconds = [10, 30, 120, 600]

/** The delay after an attempt failed: full jitter, or what the PMS requested. */
export function retryInMs(attempt: number, askedMs: number, random = Math.random()): number {
  const maxWait = maxWaitSeconds[Math.min(attempt, maxWaitSeconds.length) - 1] ?? maxWaitSeconds[0]!
  return Math.max(1_000, maxWait * 1_000 * random, askedMs)
}

/** The default debounce: changes are sent when none came for this long. */
export const defaultDebounceMs = 2_000
/** A change soon after a completed push waits this long, because more may follow. */
export const graceMs = 250
/** The maximum time that a change waits for others. */
export const maxDebounceMs = 10_000
