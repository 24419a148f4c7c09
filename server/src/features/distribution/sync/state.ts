import { sql, type Fragment, type Statement } from '#db/sql.ts'
import type { Transaction } from '#db/scope.ts'

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
export function nextState(event: SyncEvent): Statement<SyncState> {
  const cases = syncStates.flatMap((state) => {
    const next = transitions[state][event]
    return next ? [sql`when ${sql.lit(state)} then ${sql.lit(next)}`] : []
  })
  return sql<SyncState>`(case sync.status ${sql.join(cases, ' ')} end)`
}

/** The states in which an event can happen, for the condition of a statement. */
export const statesThatKnow = (event: SyncEvent): Fragment =>
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
export const checkDelay = ({ verifyAfterMs, readBackMinutes }: VerificationTiming, failedChecks: Fragment) =>
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

/** The listings that a change affects, and their nights: from and to (inclusive), `all`, or none. */
export type ListingSelection = (
  | { unitId: string }
  | { unitIds: readonly string[] }
  | { spaceId: string }
  | { targetId: string; unsettled?: true }
  | { listingId: string }
  | { listingIds: readonly string[] }
  | { everything: true }
) & {
  nights?: { from: string; to: string } | 'all'
  /** Only failed ones, with one of these codes. */
  failedWith?: readonly string[] | 'anything'
  /** Only those that may be pushed: not paused, and with an active target. */
  enabledOnly?: true
}

/** The condition on the row `sync` of `listing_syncs`. */
export function isSelected(transaction: Transaction, selection: ListingSelection): Fragment {
  const { failedWith, enabledOnly } = selection
  const failed = failedWith ? sql` and sync.status = 'failed'` : sql``
  const cause =
    failedWith && failedWith !== 'anything' ? sql` and sync.error_code = any(${failedWith}::text[])` : sql``
  const enabled = enabledOnly
    ? sql` and exists (
        select 1
        from channel_listings enabled_listing
        join channel_targets enabled_target
          on enabled_target.org_id = enabled_listing.org_id
          and enabled_target.id = enabled_listing.channel_target_id
        where enabled_listing.org_id = sync.org_id
          and enabled_listing.id = sync.channel_listing_id
          and enabled_listing.status <> 'paused'
          and enabled_target.status <> 'inactive')`
    : sql``
  return sql`${isAmong(transaction, selection)}${failed}${cause}${enabled}`
}

// Ids by a subquery: a list of known length is planned again each time, because a custom plan for few ids looks
// cheaper than it is.
function isAmong({ orgId }: Transaction, selection: ListingSelection): Fragment {
  if ('listingId' in selection) return sql`sync.channel_listing_id = ${selection.listingId}`
  if ('listingIds' in selection)
    return sql`sync.channel_listing_id = any(array(select unnest(${selection.listingIds}::uuid[])))`
  if ('unitId' in selection) return sql`sync.unit_id = ${selection.unitId}`
  if ('unitIds' in selection)
    return sql`sync.unit_id = any(array(select unnest(${selection.unitIds}::uuid[])))`
  if ('spaceId' in selection)
    return sql`sync.unit_id in (select id from units where org_id = ${orgId} and space_id = ${selection.spaceId})`
  if ('everything' in selection) return sql`true`
  const unsettled = selection.unsettled ? sql` and sync.status <> 'completed'` : sql``
  return sql`sync.channel_target_id = ${selection.targetId}${unsettled}`
}
