import { sql, type RawBuilder } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import type { Concern } from './concern.ts'

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

/** What asks for a look at the PMS, or for everything, concerns every night. */
const concernsAllNights: ReadonlySet<SyncTrigger> = new Set([
  'manual',
  'schedule',
  'webhook',
  'reconcile',
  'connector',
])
/** Nothing has changed here: the PMS is read back, and what differs is pushed. */
const asksForALook: ReadonlySet<SyncTrigger> = new Set(['schedule', 'webhook', 'reconcile'])
/** What somebody waits for: it does not wait itself, and forgets the attempts so far. */
const isImpatient: ReadonlySet<SyncTrigger> = new Set(['manual', 'connector', 'reconnect', 'retry'])

/** Never wait longer than this for quiet, however often something changes. */
const longestWaitMs = 10_000
const defaultDebounceMs = 2_000
/** A change soon after a push that has arrived waits this long for company: it may begin a burst. */
const graceMs = 250

export interface Requested {
  channel_listing_id: string
  channel_target_id: string
  due_at: string
  /** Whether it waited or ran already. */
  coalesced: boolean
  /** Whether a job must be put into the queue: none runs, and none waits that is early enough. */
  jobless: boolean
  /** The job that runs now; it sees to what was asked for meanwhile. */
  running_job: string | null
  now: boolean
}

/**
 * Marks the listings as wanting a push. Two locks make coalescing safe. A change holds its targets shared until it
 * commits, and a worker takes a target alone before it looks for what is due: so a job that waits now will see
 * this change when it runs, and no other job is needed. The rows are locked because they are about to change.
 *
 * The first change after quiet is due at once. One that follows a delivered push waits a moment; once changes
 * come faster than they are delivered, they wait until it is quiet for the debounce, but never longer than ten
 * seconds after the first of them. A waiting retry keeps its time, unless a person asks. Nothing is enqueued for
 * a paused listing or an inactive target: the change waits.
 */
export const markWanted = (
  transaction: Transaction,
  concern: Concern,
  trigger: SyncTrigger,
  mode: 'delta' | 'full',
): Promise<Requested[]> =>
  Promise.all([
    holdTargets(transaction, concern),
    lockConcerned(transaction, concern),
    mark(transaction, concern, trigger, mode),
  ]).then(([, , requested]) => requested)

/** Locks of the database's own kind, because they queue fairly: a worker is not starved by a stream of changes. */
export const holdTargets = (transaction: Transaction, concern: Concern) =>
  rows(
    transaction,
    sql`select pg_advisory_xact_lock_shared(k) from (
      select distinct target_lock(s.channel_target_id) as k from listing_syncs s
      where s.org_id = ${transaction.orgId} and ${concerned(transaction, concern)} order by 1 offset 0) held`,
  )

/** On its own, because a lock that is waited for inside a join loses a row whose other side has moved. */
const lockConcerned = (transaction: Transaction, concern: Concern) =>
  rows(
    transaction,
    sql`select 1 from listing_syncs s where s.org_id = ${transaction.orgId} and ${concerned(transaction, concern)}
      order by s.channel_listing_id for update`,
  )

const mark = (transaction: Transaction, concern: Concern, trigger: SyncTrigger, mode: 'delta' | 'full') => {
  const impatient = isImpatient.has(trigger)
  const isLook = mode === 'delta' && asksForALook.has(trigger)
  const all = concern.nights === 'all' || mode === 'full' || concernsAllNights.has(trigger)
  const { from, to } = all
    ? { from: '-infinity', to: 'infinity' }
    : concern.nights && concern.nights !== 'all'
      ? concern.nights
      : { from: null, to: null }
  return rows(
    transaction,
    sql<Requested>`
      with concerned as (
        select s.channel_listing_id, s.status in ('pending', 'in_progress') as busy, s.job_due_at, s.status, s.claimed_by,
          l.status = 'paused' or t.status = 'inactive' as held,
          case
            when ${impatient} then now()
            when s.next_attempt_at > now() then s.next_attempt_at
            when s.status = 'pending' and s.due_at <= now() then s.due_at
            when coalesce(greatest(s.wanted_at, s.pushed_at) + d.debounce <= now(), true) then now()
            when s.status in ('completed', 'failed') then now() + least(d.debounce, d.grace)
            else least(now() + d.debounce, coalesce(s.pending_since, now()) + d.longest)
          end as due_at
        from listing_syncs s
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id,
        lateral (select
          make_interval(secs => coalesce((t.config ->> 'debounce_ms')::int, ${defaultDebounceMs}) / 1000.0) as debounce,
          make_interval(secs => ${graceMs} / 1000.0) as grace,
          make_interval(secs => ${longestWaitMs} / 1000.0) as longest) d
        where s.org_id = ${transaction.orgId} and ${concerned(transaction, concern)}),
      decided as (
        select *, not held and status <> 'in_progress' and (job_due_at is null or job_due_at > due_at or ${impatient}) as jobless
        from concerned)
      update listing_syncs s set
        status = case when s.status = 'in_progress' then s.status else 'pending' end,
        attempts = case when s.status in ('completed', 'failed') or ${impatient} then 0 else s.attempts end,
        -- A look is no change: the listing is as much in sync as it was.
        wanted_version = s.wanted_version + ${isLook ? 0 : 1}::int,
        mode = case when ${mode} = 'full' then 'full' else s.mode end,
        -- What a person asked for stays so until it is done: it includes a look at the PMS.
        look_wanted = s.look_wanted or ${isLook},
        trigger = case when s.status = 'pending' and s.trigger in ('manual', 'connector') then s.trigger else ${trigger} end,
        requested_by = ${JSON.stringify(transaction.actor)}::jsonb,
        traceparent = ${transaction.traceparent},
        wanted_at = now(),
        pending_since = coalesce(s.pending_since, now()),
        behind_since = case when ${isLook} then s.behind_since else coalesce(s.behind_since, now()) end,
        verify_at = null,
        touched_from = least(s.touched_from, ${from}::date),
        touched_to = greatest(s.touched_to, ${to}::date),
        next_attempt_at = case when ${impatient} then null else s.next_attempt_at end,
        -- Cut, not rounded: a time that rounds up would lie in the future, and the job would wait for a poll.
        due_at = date_trunc('milliseconds', c.due_at),
        job_due_at = case when c.jobless then c.due_at else s.job_due_at end,
        changed_at = now()
      from decided c
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = c.channel_listing_id
      returning s.channel_listing_id, s.channel_target_id, s.due_at, c.jobless, c.busy as coalesced,
        case when c.status = 'in_progress' then c.claimed_by end as running_job, c.due_at <= now() as now`,
  )
}

/** The condition on `listing_syncs s`. */
function concerned(transaction: Transaction, concern: Concern): RawBuilder<unknown> {
  const { failedWith, awake } = concern
  const failed = failedWith ? sql` and s.status = 'failed'` : sql``
  const cause =
    failedWith && failedWith !== 'anything' ? sql` and s.error_code = any(${failedWith}::text[])` : sql``
  const free = awake
    ? sql` and exists (select 1 from channel_listings la
        join channel_targets ta on ta.org_id = la.org_id and ta.id = la.channel_target_id
        where la.org_id = s.org_id and la.id = s.channel_listing_id and la.status <> 'paused' and ta.status <> 'inactive')`
    : sql``
  return sql`${subject(transaction, concern)}${failed}${cause}${free}`
}

// Ids by a query: a list that PostgreSQL can count is planned anew each time, because a short one is cheaper than it fears.
function subject({ orgId }: Transaction, concern: Concern): RawBuilder<unknown> {
  if ('listingId' in concern) return sql`s.channel_listing_id = ${concern.listingId}`
  if ('listingIds' in concern)
    return sql`s.channel_listing_id = any(array(select unnest(${concern.listingIds}::uuid[])))`
  if ('unitId' in concern) return sql`s.unit_id = ${concern.unitId}`
  if ('unitIds' in concern) return sql`s.unit_id = any(array(select unnest(${concern.unitIds}::uuid[])))`
  if ('spaceId' in concern)
    return sql`s.unit_id in (select id from units where org_id = ${orgId} and space_id = ${concern.spaceId})`
  if ('everything' in concern) return sql`true`
  const unsettled = concern.unsettled ? sql` and s.status <> 'completed'` : sql``
  return sql`s.channel_target_id = ${concern.targetId}${unsettled}`
}
