import { sql, type RawBuilder } from 'kysely'

/** The life of a listing's sync, and the only place that knows which state follows which. */
export const syncStates = ['pending', 'in_progress', 'completed', 'failed'] as const
export type SyncState = (typeof syncStates)[number]

/** What can happen to the sync of a listing. */
export const syncEvents = {
  requested: 'A change, a person or the clock asks for a push.',
  claimed: 'A worker takes the listing for an attempt; of one whose worker died, for another.',
  accepted: 'The PMS accepted everything, and nothing has been asked for meanwhile.',
  overtaken: 'The attempt is over, and something has been asked for meanwhile.',
  retryScheduled: 'The attempt failed, or could not be made, and another one is planned.',
  refused: 'The attempt failed, and no other one is planned.',
  claimLost: 'The result of an attempt came too late: nobody knows what the PMS has.',
  suspended: 'An attempt that died is over, because the listing is paused or its target is inactive.',
  moved: 'The listing now links another unit or leads to another target.',
  rejectedLater: 'The PMS had accepted a push and then said that it could not apply it.',
} as const
export type SyncEvent = keyof typeof syncEvents

/** The state that follows. What is missing cannot happen: the statement leaves such a listing alone. */
export const transitions: Readonly<Record<SyncState, Readonly<Partial<Record<SyncEvent, SyncState>>>>> = {
  pending: {
    requested: 'pending',
    claimed: 'in_progress',
    claimLost: 'pending',
    suspended: 'pending',
    moved: 'pending',
  },
  in_progress: {
    // What is asked for during an attempt goes out right after it.
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

/** The state that follows on an event, of the row `sync` in a statement that meets only states that know the event. */
export function nextState(event: SyncEvent): RawBuilder<SyncState> {
  const cases = syncStates.flatMap((state) => {
    const next = transitions[state][event]
    return next ? [sql`when ${sql.lit(state)} then ${sql.lit(next)}`] : []
  })
  return sql<SyncState>`(case sync.status ${sql.join(cases, sql` `)} end)`
}

/** The states that know an event, for the condition of a statement. */
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

/** Somebody waits for these: they skip the debounce and forget the attempts so far. */
export const skipsDebounce: ReadonlySet<SyncTrigger> = new Set(['manual', 'connector', 'reconnect', 'retry'])
/** Nothing has changed here: the PMS is read back, and what differs is pushed. */
export const asksForReadBack: ReadonlySet<SyncTrigger> = new Set(['schedule', 'webhook', 'reconcile'])
/** What asks for a read-back, or for everything, concerns every night. */
export const concernsAllNights: ReadonlySet<SyncTrigger> = new Set([
  'manual',
  'schedule',
  'webhook',
  'reconcile',
  'connector',
])

/** An attempt that fails is repeated until there have been this many. */
export const maxAttempts = 5
const maxWaitSeconds = [10, 30, 120, 600]

/** How long to wait after the given attempt failed: full jitter, or what the PMS asked for. */
export function retryInMs(attempt: number, askedMs: number, random = Math.random()): number {
  const maxWait = maxWaitSeconds[Math.min(attempt, maxWaitSeconds.length) - 1] ?? maxWaitSeconds[0]!
  return Math.max(1_000, maxWait * 1_000 * random, askedMs)
}

/** Changes of a listing are gathered until nothing has changed for this long, unless its target says otherwise. */
export const defaultDebounceMs = 2_000
/** A change soon after a push that has arrived waits this long: it may be the first of several. */
export const graceMs = 250
/** No change waits longer than this for others, however often something changes. */
export const maxDebounceMs = 10_000
