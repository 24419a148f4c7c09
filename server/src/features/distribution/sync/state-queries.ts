import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import type { RefusedGroups } from '#integrations/pms/pms.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import { nightsAhead } from './diff/calendar-grid.ts'
import type { Claim, UnconfirmedRanges } from './push.ts'
import { notifyChanged } from './listing-events.ts'
import {
  isSelected,
  type ListingSelection,
  asksForReadBack,
  concernsAllNights,
  defaultDebounceMs,
  graceMs,
  maxAttempts,
  maxDebounceMs,
  nextState,
  skipsDebounce,
  statesThatKnow,
  transitions,
  type SyncTrigger,
  checkDelay,
  dueSoonMs,
  idleDelay,
  maxTasks,
  type VerificationTiming,
} from './state.ts'

/**
 * Every statement that writes `listing_syncs`. Each is the SQL of one or more events of `state.ts`, and notifies the
 * status streams of the changed listings, once for all rows and with the commit.
 */

const idsOf = (found: readonly { listing_id: string }[]) => found.map(({ listing_id }) => listing_id)

/** Creates the state of a new listing. With the content that the PMS shows already, only differences are ever sent. */
export async function addState(
  transaction: Transaction,
  listing: { id: string; unitId: string; targetId: string; shown: UnitContent | null },
): Promise<void> {
  const { shown } = listing
  await rows(
    transaction,
    sql`insert into listing_syncs
        (channel_listing_id, org_id, unit_id, channel_target_id, requested_by, wanted_version, mode, accepted)
      values (${listing.id}, ${transaction.orgId}, ${listing.unitId}, ${listing.targetId},
        ${JSON.stringify(transaction.actor)}, 0, ${shown ? 'delta' : 'full'},
        ${shown ? JSON.stringify(shown) : null}::jsonb)`,
  )
  notifyChanged(transaction, [listing.id])
}

/**
 * Event `moved`. A running attempt and a waiting job are about the previous unit or target, so neither counts for the
 * new one, whose state at the PMS is unknown.
 */
export async function resetState(
  transaction: Transaction,
  listing: { id: string; unitId: string; targetId: string },
): Promise<void> {
  await rows(
    transaction,
    sql`update listing_syncs sync
      set unit_id = ${listing.unitId},
        channel_target_id = ${listing.targetId},
        status = ${nextState('moved')},
        attempts = 0,
        accepted = null,
        unconfirmed_fields = '[]',
        unconfirmed_ranges = null,
        refused_groups = null,
        claim = null,
        claimed_by = null,
        claimed_until = null,
        next_attempt_at = null,
        job_due_at = null
      where org_id = ${transaction.orgId}
        and channel_listing_id = ${listing.id}`,
  )
  notifyChanged(transaction, [listing.id])
}

export interface RequestedSync {
  channel_listing_id: string
  channel_target_id: string
  due_at: string
  /** Whether it was waiting or running already. */
  coalesced: boolean
  /** Whether a job must be enqueued: none is running, and none that is early enough is waiting. */
  needs_job: boolean
  /** The running job, which also handles what is requested meanwhile. */
  running_job: string | null
  is_due: boolean
}

/**
 * Event `requested`. Two locks make coalescing safe. A change holds a shared lock of its targets until it commits,
 * and a worker locks a target exclusively before it reads what is due: so a job that is waiting now will see this
 * change, and no other job is needed. The rows are locked because they are about to change. The first change is due
 * at once. One that follows a delivered push waits a moment. Changes that come faster than they are delivered wait
 * until none came for the debounce, at most ten seconds after the first. A waiting retry keeps its time, unless a
 * user requests the sync. Nothing is enqueued for a paused listing or an inactive target: the change waits.
 */
export async function markPending(
  transaction: Transaction,
  selection: ListingSelection,
  trigger: SyncTrigger,
  mode: 'delta' | 'full',
): Promise<RequestedSync[]> {
  const [, , requested] = await Promise.all([
    lockTargetsShared(transaction, selection),
    lockStates(transaction, selection),
    setPending(transaction, selection, trigger, mode),
  ])
  const changed = requested.filter(({ is_changed }) => is_changed)
  notifyChanged(
    transaction,
    changed.map(({ channel_listing_id }) => channel_listing_id),
  )
  return requested
}

/** Advisory locks, because they queue in order: a stream of changes cannot starve a worker. */
export const lockTargetsShared = (transaction: Transaction, selection: ListingSelection) =>
  rows(
    transaction,
    sql`select pg_advisory_xact_lock_shared(key)
      from (
        select distinct target_lock(sync.channel_target_id) as key
        from listing_syncs sync
        where sync.org_id = ${transaction.orgId}
          and ${isSelected(transaction, selection)}
        order by 1
        offset 0) keys`,
  )

/** A statement of its own, because a join that waits for a lock misses a row whose other side has moved. */
export const lockStates = (transaction: Transaction, selection: ListingSelection) =>
  rows(
    transaction,
    sql`select 1
      from listing_syncs sync
      where sync.org_id = ${transaction.orgId}
        and ${isSelected(transaction, selection)}
      order by sync.channel_listing_id
      for update`,
  )

function setPending(
  transaction: Transaction,
  selection: ListingSelection,
  trigger: SyncTrigger,
  mode: 'delta' | 'full',
) {
  const isUrgent = skipsDebounce.has(trigger)
  const isReadBack = mode === 'delta' && asksForReadBack.has(trigger)
  const nights = mode === 'full' || concernsAllNights.has(trigger) ? 'all' : selection.nights
  const { from, to } = nights === 'all' ? { from: '-infinity', to: 'infinity' } : (nights ?? noNights)
  return rows(
    transaction,
    sql<RequestedSync & { is_changed: boolean }>`
      with selected as (
        select sync.channel_listing_id, sync.status, sync.attempts, sync.job_due_at, sync.claimed_by,
          listing.status = 'paused' or target.status = 'inactive' as is_suspended,
          case
            when ${isUrgent} then now()
            when sync.next_attempt_at > now() then sync.next_attempt_at
            when sync.status = 'pending' and sync.due_at <= now() then sync.due_at
            when coalesce(greatest(sync.wanted_at, sync.pushed_at) + wait.debounce <= now(), true) then now()
            when sync.status in ('completed', 'failed') then now() + least(wait.debounce, wait.grace)
            else least(now() + wait.debounce, coalesce(sync.pending_since, now()) + wait.longest)
          end as due_at
        from listing_syncs sync
        join channel_listings listing
          on listing.org_id = sync.org_id
          and listing.id = sync.channel_listing_id
        join channel_targets target
          on target.org_id = sync.org_id
          and target.id = sync.channel_target_id,
        lateral (
          select
            make_interval(secs => coalesce((target.config ->> 'debounce_ms')::int, ${defaultDebounceMs}) / 1000.0)
              as debounce,
            make_interval(secs => ${graceMs} / 1000.0) as grace,
            make_interval(secs => ${maxDebounceMs} / 1000.0) as longest) wait
        where sync.org_id = ${transaction.orgId}
          and ${isSelected(transaction, selection)}),
      decided as (
        select *,
          not is_suspended
            and status <> 'in_progress'
            and (job_due_at is null or job_due_at > due_at or ${isUrgent}) as needs_job
        from selected)
      update listing_syncs sync
      set status = ${nextState('requested')},
        attempts = case when sync.status in ('completed', 'failed') or ${isUrgent} then 0 else sync.attempts end,
        -- A read-back is no change: the listing is as much in sync as it was.
        wanted_version = sync.wanted_version + ${isReadBack ? 0 : 1}::int,
        mode = case when ${mode} = 'full' then 'full' else sync.mode end,
        read_back_wanted = sync.read_back_wanted or ${isReadBack},
        -- What a person asked for stays so until it is done.
        trigger = case
          when sync.status = 'pending' and sync.trigger in ('manual', 'connector') then sync.trigger
          else ${trigger}
        end,
        requested_by = ${JSON.stringify(transaction.actor)}::jsonb,
        traceparent = ${transaction.traceparent},
        wanted_at = now(),
        pending_since = coalesce(sync.pending_since, now()),
        behind_since = case when ${isReadBack} then sync.behind_since else coalesce(sync.behind_since, now()) end,
        verify_at = null,
        changed_from = least(sync.changed_from, ${from}::date),
        changed_to = greatest(sync.changed_to, ${to}::date),
        next_attempt_at = case when ${isUrgent} then null else sync.next_attempt_at end,
        -- Cut, not rounded: a time that rounds up would lie in the future, and the job would wait for a poll.
        due_at = date_trunc('milliseconds', decided.due_at),
        job_due_at = case when decided.needs_job then decided.due_at else sync.job_due_at end,
        changed_at = now()
      from decided
      where sync.org_id = ${transaction.orgId}
        and sync.channel_listing_id = decided.channel_listing_id
      returning sync.channel_listing_id, sync.channel_target_id, sync.due_at, decided.needs_job,
        decided.status in ('pending', 'in_progress') as coalesced,
        case when decided.status = 'in_progress' then decided.claimed_by end as running_job,
        decided.due_at <= now() as is_due,
        decided.status <> sync.status or decided.attempts <> sync.attempts as is_changed`,
  )
}

const noNights = { from: null, to: null }

/**
 * The nights of all listings of a round are in memory together. This many are as large as 40 full syncs; the first
 * listing is always taken.
 */
const maxNightsPerRound = 20_000

/** Of rows with a `place` and a `night_count`: the first listings that together have at most so many nights. */
const firstWithinMaxNights = (candidates: Fragment) => sql`
  select channel_listing_id
  from (
    select channel_listing_id,
      sum(night_count) over (order by place, channel_listing_id) - night_count as nights_before
    from (${candidates}) candidate) candidate
  where nights_before < ${maxNightsPerRound}`

/** Nights within range; all of them when the range is null. */
const nightCount = (from: Fragment, to: Fragment) => sql`
  greatest(0, least(${to}, current_date + ${nightsAhead}::int) - greatest(${from}, current_date - 1) + 1)`

/**
 * Event `claimed`. Claims the due listings of a target: unclaimed ones, those with an expired claim, and those of
 * this same job (the queue has declared its earlier run dead). The target is locked, so no change of its listings is
 * in progress. The start of each attempt is added to the audit with it, so that every counted attempt is recorded,
 * even if the worker is killed.
 */
export async function claimDue(
  transaction: Transaction,
  targetId: string,
  jobId: string,
  leaseMs: number,
  maxListings: number,
): Promise<Claim[]> {
  const claims = await rows(
    transaction,
    sql<Claim>`
      with taken as (
        update listing_syncs sync
        set status = ${nextState('claimed')},
          attempts = sync.attempts + 1,
          claim = gen_random_uuid(),
          claimed_by = ${jobId},
          claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0),
          pushed_at = clock_timestamp(),
          pending_since = null,
          next_attempt_at = null,
          job_due_at = null,
          sending_from = least(sync.sending_from, sync.changed_from),
          sending_to = greatest(sync.sending_to, sync.changed_to),
          changed_from = null,
          changed_to = null,
          reading_back = sync.reading_back or sync.read_back_wanted,
          read_back_wanted = false,
          changed_at = clock_timestamp(),
          -- An attempt without a result may have sent anything of what it had taken on.
          unconfirmed_fields = case when sync.status = 'in_progress' then '["*"]' else sync.unconfirmed_fields end,
          unconfirmed_ranges = case
            when sync.status = 'in_progress' and sync.sending_from is not null
              then ${unknownRanges(sql`sync.sending_from`, sql`sync.sending_to`)}
            else sync.unconfirmed_ranges
          end
        where sync.org_id = ${transaction.orgId}
          and sync.channel_listing_id = any(array(${firstWithinMaxNights(sql`
            select due.channel_listing_id, due.due_at as place,
              case
                when due.mode = 'full' or due.accepted is null then ${nightsAhead}
                when coalesce(due.changed_from, due.sending_from) is null then 0
                else ${nightCount(sql`least(due.changed_from, due.sending_from)`, sql`greatest(due.changed_to, due.sending_to)`)}
              end as night_count
            from listing_syncs due
            where due.org_id = ${transaction.orgId}
              and due.channel_target_id = ${targetId}
              and due.is_open
              and (due.status = 'pending' and due.due_at <= clock_timestamp()
                or due.status = 'in_progress' and (due.claimed_by = ${jobId} or due.claimed_until < now()))
              and (
                select listing.status
                from channel_listings listing
                where listing.org_id = due.org_id
                  and listing.id = due.channel_listing_id) <> 'paused'
            order by due.due_at
            limit ${maxListings}`)}))
        returning sync.*),
      claimed as (
        select taken.channel_listing_id as listing_id, listing.status as listing_status, taken.claim,
          listing.account_id, taken.unit_id, listing.external_id, listing.rate_plans, taken.attempts,
          taken.wanted_version, taken.mode, taken.trigger, taken.reading_back, taken.requested_by, taken.traceparent,
          taken.accepted::text, taken.unconfirmed_fields, taken.unconfirmed_ranges, taken.refused_groups,
          case when nights.first_night <= nights.last_night then nights.first_night end as first_night,
          case when nights.first_night <= nights.last_night then nights.last_night end as last_night,
          taken.pushed_at as started_at
        from taken,
        lateral (
          select account_id, external_id, rate_plans, status
          from channel_listings
          where org_id = ${transaction.orgId}
            and id = taken.channel_listing_id
          offset 0) listing,
        lateral (
          select (now() at time zone timezone)::date as today
          from spaces
          where org_id = ${transaction.orgId}
            and id = (select space_id from units where org_id = ${transaction.orgId} and id = taken.unit_id)
          offset 0) space,
        lateral (select taken.mode = 'full' or taken.accepted is null as is_full) push,
        lateral (
          select
            case
              when push.is_full then space.today
              when taken.sending_from is not null then greatest(taken.sending_from, space.today)
            end as first_night,
            case
              when push.is_full then space.today + ${nightsAhead - 1}::int
              when taken.sending_to is not null then least(taken.sending_to, space.today + ${nightsAhead - 1}::int)
            end as last_night) nights),
      begun as (
        insert into sync_audit
          (org_id, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status, mode, trigger,
            attempt, max_attempts, actor, started_at, trace_id)
        select ${transaction.orgId}, account_id, listing_id, ${targetId}, unit_id, ${jobId}, 'sync.started',
          'in_progress', mode, trigger, attempts, ${maxAttempts}, requested_by, started_at,
          nullif(split_part(traceparent, '-', 2), '')
        from claimed)
      select * from claimed`,
  )
  notifyChanged(transaction, idsOf(claims))
  return claims
}

/** All values of these nights, and of those that were unconfirmed before, are unknown. */
const unknownRanges = (from: Fragment, to: Fragment) =>
  sql`jsonb_build_object(
    'date_from', least(greatest(${from}, '1970-01-01'), (sync.unconfirmed_ranges ->> 'date_from')::date),
    'date_to', greatest(least(${to}, '2400-01-01'), (sync.unconfirmed_ranges ->> 'date_to')::date),
    'rooms', null,
    'rates', null)`

/** The result of one attempt, as it is stored. */
export interface AttemptResult {
  listing_id: string
  /** As the attempt read it. */
  listing_status: string
  claim: string
  wanted_version: number
  /** `retry` and `deferred` are tried again, the latter without counting an attempt; `refused` is final. */
  result: 'accepted' | 'retry' | 'deferred' | 'refused'
  /** The content that the PMS has now; null keeps the stored one. */
  accepted: UnitContent | null
  unconfirmed_fields: string[]
  unconfirmed_ranges: UnconfirmedRanges | null
  /** Those of the claim: others were added during the attempt. */
  unconfirmed_before: UnconfirmedRanges | null
  refused_groups: RefusedGroups | null
  error_code: string | null
  error_message: string | null
  /** The wait before the next attempt; null when there is none. */
  wait_ms: number | null
  /**
   * What is known of what the PMS shows: new values were `sent`, a push `repairs` what was read, or all was `seen`.
   */
  evidence: 'none' | 'sent' | 'repairs' | 'seen'
  /** The tasks by which the PMS applies what was sent. */
  tasks: readonly string[]
}

export interface RecordedResult {
  listing_id: string
  status: 'pending' | 'completed' | 'failed'
  next_attempt_at: string | null
}

/**
 * Events `accepted`, `overtaken`, `retryScheduled`, `refused`. Stores the results of attempts that still hold their
 * claims; the others are superseded and not returned. A listing stays pending after changes made meanwhile, and after
 * a requested read-back. A manual request made during the attempt does not wait for the retry.
 */
export async function recordResults(
  transaction: Transaction,
  results: readonly AttemptResult[],
  timing: VerificationTiming,
): Promise<RecordedResult[]> {
  const isChanged = sql`(sync.wanted_version > result.wanted_version)`
  const isOvertaken = sql`(${isChanged} or sync.read_back_wanted)`
  const isAccepted = sql`(result.result = 'accepted')`
  const isSent = sql`(result.evidence in ('sent', 'repairs'))`
  const isSeen = sql`(result.evidence = 'seen')`
  // What this one has seen may be older than a notice of the PMS, whose read-back (an empty task name) follows.
  const isChecked = sql`(${isSeen} and not sync.tasks @> '[""]')`
  const nextAttempt = sql`(case
    when sync.trigger in ('manual', 'connector') and ${isChanged} then null
    else clock_timestamp() + make_interval(secs => result.wait_ms / 1000)
  end)`
  const errorMessage = sql`(case
    when result.result = 'deferred' then coalesce(result.error_message, sync.error_message)
    else result.error_message
  end)`
  const failedChecks = sql`case when result.evidence = 'repairs' then sync.failed_checks else 0 end`
  const after = (event: keyof typeof transitions.in_progress) => sql.lit(transitions.in_progress[event]!)
  const recorded = await rows(
    transaction,
    sql<RecordedResult>`
      with result as materialized (
        select *
        from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as given (
          listing_id uuid, claim uuid, wanted_version bigint, result text, accepted jsonb, unconfirmed_fields jsonb,
          unconfirmed_ranges jsonb, unconfirmed_before jsonb, refused_groups jsonb, error_code text,
          error_message text, wait_ms float8, evidence text, tasks jsonb))
      update listing_syncs sync
      set status = case
          when ${isOvertaken} then ${after('overtaken')}
          when ${nextAttempt} is not null then ${after('retryScheduled')}
          when ${isAccepted} then ${after('accepted')}
          else ${after('refused')}
        end,
        attempts = case
          when result.result = 'deferred' then greatest(sync.attempts - 1, 0)
          when result.result in ('accepted', 'refused') and ${isOvertaken} then 0
          else sync.attempts
        end,
        synced_version = case when ${isAccepted} then result.wanted_version else sync.synced_version end,
        last_synced_at = case when ${isAccepted} then now() else sync.last_synced_at end,
        accepted = coalesce(result.accepted, sync.accepted),
        unconfirmed_fields = result.unconfirmed_fields,
        unconfirmed_ranges = case
          when sync.unconfirmed_ranges is not distinct from result.unconfirmed_before then result.unconfirmed_ranges
          when result.unconfirmed_ranges is null then sync.unconfirmed_ranges
          else ${unknownRanges(
            sql`(result.unconfirmed_ranges ->> 'date_from')::date`,
            sql`(result.unconfirmed_ranges ->> 'date_to')::date`,
          )}
        end,
        refused_groups = result.refused_groups,
        sending_from = case when ${isAccepted} then null else sync.sending_from end,
        sending_to = case when ${isAccepted} then null else sync.sending_to end,
        reading_back = sync.reading_back and not ${isAccepted},
        mode = case when ${isAccepted} and not ${isChanged} then 'delta' else sync.mode end,
        behind_since = case
          when not ${isAccepted} then sync.behind_since
          when ${isChanged} then sync.pending_since
        end,
        stale_since = case when ${isAccepted} then null else sync.stale_since end,
        due_at = coalesce(${nextAttempt}, sync.due_at),
        next_attempt_at = ${nextAttempt},
        job_due_at = case
          when ${nextAttempt} is not null then ${nextAttempt}
          when ${isOvertaken} then sync.due_at
        end,
        pending_since = case
          when ${isAccepted} then sync.pending_since
          else coalesce(sync.pending_since, clock_timestamp())
        end,
        error_code = case
          when result.result = 'deferred' then coalesce(result.error_code, sync.error_code)
          else result.error_code
        end,
        error_message = ${errorMessage},
        shown_at = case
          when ${isAccepted} or ${errorMessage} is distinct from sync.error_message then clock_timestamp()
          else sync.shown_at
        end,
        unverified_since = case
          when ${isSent} then coalesce(sync.unverified_since, clock_timestamp())
          when ${isSeen} then null
          else sync.unverified_since
        end,
        verified_at = case when ${isSeen} then clock_timestamp() else sync.verified_at end,
        check_at = case
          when ${isSent} then clock_timestamp() + ${checkDelay(timing, failedChecks)}
          when ${isChecked} then clock_timestamp() + ${idleDelay(timing)}
          else sync.check_at
        end,
        check_from = case
          when ${isSent} then least(sync.check_from, coalesce(sync.sending_from, current_date))
          when not ${isChecked} then sync.check_from
        end,
        check_to = case
          when ${isSent} then greatest(sync.check_to, coalesce(sync.sending_to, current_date))
          when not ${isChecked} then sync.check_to
        end,
        failed_checks = case when result.evidence in ('sent', 'seen') then 0 else sync.failed_checks end,
        tasks = case
          when ${isChecked} then '[]'
          when not ${isSent} then sync.tasks
          when jsonb_array_length(sync.tasks) + jsonb_array_length(result.tasks) > ${maxTasks}::int
            then jsonb_build_array('')
          else sync.tasks || result.tasks
        end,
        claim = null,
        claimed_by = null,
        claimed_until = null,
        changed_at = clock_timestamp()
      from result
      where sync.org_id = ${transaction.orgId}
        and sync.channel_listing_id = any(array(select listing_id from result))
        and sync.channel_listing_id = result.listing_id
        and sync.claim = result.claim
      returning sync.channel_listing_id as listing_id, sync.status, sync.next_attempt_at`,
  )
  notifyChanged(transaction, idsOf(recorded))
  return recorded
}

/**
 * Event `claimLost`. Two attempts sent values for these listings in an unknown order, so they are pushed in full,
 * unless they have moved to another target since. The job that records this then reads what is due, so no other job
 * is needed.
 */
export async function requestFullSync(
  transaction: Transaction,
  targetId: string,
  listingIds: readonly string[],
): Promise<void> {
  const changed = await rows(
    transaction,
    sql<{ listing_id: string }>`update listing_syncs sync
      set status = ${nextState('claimLost')},
        attempts = case when sync.status = 'in_progress' then sync.attempts else 0 end,
        mode = 'full',
        trigger = 'reconcile',
        requested_by = ${JSON.stringify(transaction.actor)}::jsonb,
        traceparent = ${transaction.traceparent},
        wanted_version = sync.wanted_version + 1,
        wanted_at = now(),
        pending_since = coalesce(sync.pending_since, now()),
        behind_since = coalesce(sync.behind_since, now()),
        changed_from = '-infinity',
        changed_to = 'infinity',
        next_attempt_at = null,
        due_at = date_trunc('milliseconds', now()),
        changed_at = now()
      where sync.org_id = ${transaction.orgId}
        and sync.channel_target_id = ${targetId}
        and sync.channel_listing_id = any(${listingIds}::uuid[])
      returning sync.channel_listing_id as listing_id`,
  )
  notifyChanged(transaction, idsOf(changed))
}

/**
 * Event `suspended`. Ends dead attempts of listings that are paused or whose target is inactive. No job waits for
 * them, so resuming enqueues one.
 */
export async function releaseSuspended(
  transaction: Transaction,
  targetId: string,
  jobId: string,
): Promise<void> {
  const released = await rows(
    transaction,
    sql<{ listing_id: string }>`update listing_syncs sync
      set status = ${nextState('suspended')},
        claim = null,
        claimed_by = null,
        claimed_until = null,
        job_due_at = null
      from channel_listings listing
      join channel_targets target
        on target.org_id = listing.org_id
        and target.id = listing.channel_target_id
      where sync.org_id = ${transaction.orgId}
        and sync.channel_target_id = ${targetId}
        and sync.is_open
        and listing.org_id = sync.org_id
        and listing.id = sync.channel_listing_id
        and (listing.status = 'paused' or target.status = 'inactive')
        and (sync.status = 'pending' and sync.job_due_at is not null
          or sync.status = 'in_progress' and (sync.claimed_by = ${jobId} or sync.claimed_until < now()))
      returning sync.channel_listing_id as listing_id`,
  )
  notifyChanged(transaction, idsOf(released))
}

/** Requests a read-back of these listings, a sample of what was pushed, for when the PMS has had time to apply it. */
export const verifyLater = (transaction: Transaction, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update listing_syncs
      set verify_at = now() + interval '30 seconds'
      where org_id = ${transaction.orgId}
        and channel_listing_id = any(${listingIds}::uuid[])`,
  )

export type CheckedNights = { readonly date_from: string; readonly date_to: string } | 'all'

/**
 * Schedules a check of the listings of a target within this time, and returns whether there are any. Listings that
 * wait for verification or a push are checked with them by a read-back (an empty task name), because tasks do not
 * report changes by others.
 */
export async function markForCheck(
  transaction: Transaction,
  targetId: string,
  nights: CheckedNights,
  withinMs: number,
): Promise<boolean> {
  const { date_from, date_to } = nights === 'all' ? { date_from: '-infinity', date_to: 'infinity' } : nights
  const soon = sql`clock_timestamp() + make_interval(secs => ${withinMs / 1_000}::float8)`
  const marked = await rows(
    transaction,
    sql`with locked as (
        select channel_listing_id
        from listing_syncs
        where org_id = ${transaction.orgId}
          and channel_target_id = ${targetId}
          and check_at is not null
        order by channel_listing_id
        for update)
      update listing_syncs sync
      set check_at = least(sync.check_at, ${soon}),
        tasks = case when sync.tasks @> '[""]' then sync.tasks else sync.tasks || '[""]' end,
        check_from = least(sync.check_from, ${date_from}::date),
        check_to = greatest(sync.check_to, ${date_to}::date)
      from locked
      where sync.org_id = ${transaction.orgId}
        and sync.channel_listing_id = locked.channel_listing_id
        and (sync.check_at > ${soon} or sync.check_from is not null)
      returning 1`,
  )
  return marked.length > 0
}

/** A listing whose check is due. No other job checks it meanwhile; pushes continue. */
export interface Check extends Claim {
  /** The tasks that will confirm its pushes; an empty name requests a read-back too. */
  tasks: string[]
  failed_checks: number
  /** The exact time of the last push: a later push makes the result void. */
  pushed_at: string
  /** When the claim ends. The listing has an earlier time when another read-back was requested meanwhile. */
  check_at: string
}

/** Claims the due checks for two minutes, together with those that are due soon. */
export const claimChecks = (
  transaction: Transaction,
  targetId: string,
  timing: VerificationTiming,
  maxListings: number,
) =>
  rows(
    transaction,
    sql<Check>`
      with due as (
        select sync.channel_listing_id, sync.check_at, sync.check_from, sync.check_to
        from listing_syncs sync
        join channel_listings listing
          on listing.org_id = sync.org_id
          and listing.id = sync.channel_listing_id
        where sync.org_id = ${transaction.orgId}
          and sync.channel_target_id = ${targetId}
          and sync.status = 'completed'
          and listing.status <> 'paused'
          and listing.external_id is not null
          and sync.check_at <= (select clock_timestamp() + make_interval(secs => ${dueSoonMs(timing) / 1_000}::float8))
          and (sync.unverified_since is null or sync.check_at <= clock_timestamp())),
      taken as (
        update listing_syncs sync
        set check_at = clock_timestamp() + interval '2 minutes'
        where sync.org_id = ${transaction.orgId}
          and sync.channel_listing_id = any(array(
            ${firstWithinMaxNights(sql`
              select due.channel_listing_id, due.check_at as place,
                ${nightCount(sql`due.check_from`, sql`due.check_to`)} as night_count
              from due
              order by due.check_at
              limit ${maxListings}`)}))
          and exists (select 1 from due where due.check_at <= clock_timestamp())
        returning sync.*)
      select listing.id as listing_id, listing.status as listing_status, gen_random_uuid() as claim,
        listing.account_id, listing.unit_id, listing.external_id, listing.rate_plans, taken.attempts,
        taken.wanted_version, 'delta' as mode, taken.trigger, true as reading_back, taken.requested_by,
        taken.traceparent, taken.accepted::text, taken.unconfirmed_fields, taken.unconfirmed_ranges,
        taken.refused_groups, nights.first_night, greatest(nights.first_night, nights.last_night) as last_night,
        now() as started_at, taken.tasks, taken.failed_checks, taken.pushed_at::text as pushed_at,
        taken.check_at::text as check_at
      from taken
      join channel_listings listing
        on listing.org_id = ${transaction.orgId}
        and listing.id = taken.channel_listing_id
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id,
      lateral (select (now() at time zone space.timezone)::date as today) local,
      lateral (
        select greatest(local.today, taken.check_from) as first_night,
          least(local.today + ${nightsAhead - 1}::int, taken.check_to) as last_night) nights`,
  )

/** The result of a check. `late`: not applied yet, or shown differently; `deferred`: the PMS could not be read. */
export interface CheckResult {
  listing_id: string
  wanted_version: number
  pushed_at: string
  check_at: string
  result: 'verified' | 'late' | 'deferred' | 'rejected'
  /** The wait before the next check of a deferred one. */
  wait_ms: number
  error_code: string | null
  error_message: string | null
}

/** Event `rejectedLater`, and the other results of checks, for listings that have not changed meanwhile. */
export async function recordChecks(
  transaction: Transaction,
  results: readonly CheckResult[],
  timing: VerificationTiming,
) {
  const isRejected = sql`(result.result = 'rejected')`
  // A read-back that was requested meanwhile follows: what this one has seen may be older than the request.
  const isOver = sql`(result.result = 'verified' and (sync.check_at < result.check_at) is not true)`
  const recorded = await rows(
    transaction,
    sql<{ listing_id: string; failed_checks: number; is_changed: boolean }>`
      with result as materialized (
        select *
        from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as given (
          listing_id uuid, wanted_version bigint, pushed_at timestamptz, check_at timestamptz, result text,
          wait_ms float8, error_code text, error_message text)),
      before as (
        select channel_listing_id, unverified_since
        from listing_syncs
        where org_id = ${transaction.orgId}
          and channel_listing_id = any(array(select listing_id from result))
        order by channel_listing_id
        for update)
      update listing_syncs sync
      set unverified_since = case result.result
          when 'verified' then null
          when 'deferred' then sync.unverified_since
          else coalesce(sync.unverified_since, clock_timestamp())
        end,
        verified_at = case when result.result = 'verified' then clock_timestamp() else sync.verified_at end,
        check_at = case
          when ${isOver} then clock_timestamp() + ${idleDelay(timing)}
          when result.result = 'verified' then sync.check_at
          when result.result = 'deferred' then clock_timestamp() + make_interval(secs => result.wait_ms / 1000)
          when result.result = 'late' then clock_timestamp() + ${checkDelay(timing, sql`sync.failed_checks + 1`)}
        end,
        check_from = case when not ${isOver} then sync.check_from end,
        check_to = case when not ${isOver} then sync.check_to end,
        failed_checks = case result.result
          when 'verified' then 0
          when 'late' then sync.failed_checks + 1
          else sync.failed_checks
        end,
        tasks = case
          when ${isOver} or ${isRejected} then '[]'
          when result.result = 'verified' then '[""]'
          else sync.tasks
        end,
        -- As after a push that was refused, but what the PMS has of these nights is unknown.
        status = case when ${isRejected} then ${nextState('rejectedLater')} else sync.status end,
        wanted_version = sync.wanted_version + case when ${isRejected} then 1 else 0 end,
        behind_since = case
          when ${isRejected} then coalesce(sync.behind_since, sync.unverified_since, now())
          else sync.behind_since
        end,
        unconfirmed_ranges = case
          when ${isRejected} then ${unknownRanges(sql`sync.check_from`, sql`sync.check_to`)}
          else sync.unconfirmed_ranges
        end,
        changed_from = case when ${isRejected} then least(sync.changed_from, sync.check_from) else sync.changed_from end,
        changed_to = case when ${isRejected} then greatest(sync.changed_to, sync.check_to) else sync.changed_to end,
        error_code = case when ${isRejected} then result.error_code else sync.error_code end,
        error_message = case when ${isRejected} then result.error_message else sync.error_message end,
        shown_at = case when ${isRejected} then clock_timestamp() else sync.shown_at end,
        changed_at = clock_timestamp()
      from result, before
      where sync.org_id = ${transaction.orgId}
        and sync.channel_listing_id = result.listing_id
        and sync.status in ${statesThatKnow('rejectedLater')}
        and before.channel_listing_id = sync.channel_listing_id
        and sync.wanted_version = result.wanted_version
        and sync.pushed_at is not distinct from result.pushed_at
      returning result.listing_id, sync.failed_checks,
        ${isRejected} or before.unverified_since is distinct from sync.unverified_since as is_changed`,
  )
  notifyChanged(transaction, idsOf(recorded.filter(({ is_changed }) => is_changed)))
  return recorded
}

/** Marks listings that are behind as stale; returns those that were not stale before. */
export async function markStale(transaction: Transaction, listingIds: readonly string[]) {
  const marked = await rows(
    transaction,
    sql<{
      account_id: string
      channel_listing_id: string
      channel_target_id: string
      unit_id: string
      name: string
      behind_since: NotNull<string>
    }>`update listing_syncs sync
      set stale_since = now(),
        changed_at = clock_timestamp()
      from channel_listings listing
      join units unit
        on unit.org_id = listing.org_id
        and unit.id = listing.unit_id
      where sync.org_id = ${transaction.orgId}
        and sync.channel_listing_id = any(${listingIds}::uuid[])
        and sync.behind_since is not null
        and sync.stale_since is null
        and listing.org_id = sync.org_id
        and listing.id = sync.channel_listing_id
      returning listing.account_id, sync.channel_listing_id, sync.channel_target_id, sync.unit_id, unit.name,
        sync.behind_since`,
  )
  notifyChanged(
    transaction,
    marked.map(({ channel_listing_id }) => channel_listing_id),
  )
  return marked
}
