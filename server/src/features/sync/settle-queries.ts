import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import type { RefusedGroups, UnitContent } from '#outside/pms/pms.ts'
import { announce } from './announce-queries.ts'
import type { Doubt } from './claim-queries.ts'
import { checkDelay, idleDelay, joinedTasks, type CheckTiming } from './check-timing-queries.ts'
import type { MonthValues } from './month-values.ts'

/** What became of one attempt, as it is written. */
export interface Outcome {
  listing_id: string
  /** As the attempt found it. */
  listing_status: string
  claim: string
  wanted_version: number
  /** `accepted`; `again` and `unasked` wait, the latter was no attempt; `refused` is over. */
  result: 'accepted' | 'again' | 'unasked' | 'refused'
  /** The content that the PMS has now; null leaves what is known. */
  accepted: UnitContent | null
  in_doubt: string[]
  calendar_doubt: Doubt | null
  refused_groups: RefusedGroups | null
  error_code: string | null
  error_message: string | null
  /** Until it is tried again; null when it is not. */
  wait_ms: number | null
  /** What is known of what the PMS shows: something new was `sent`, it `mends` what was seen, or all was `seen`. */
  evidence: 'none' | 'sent' | 'mends' | 'seen'
  /** The tasks by which the PMS applies what was sent. */
  tasks: readonly string[]
}

export interface Settled {
  listing_id: string
  status: 'pending' | 'completed' | 'failed'
  next_attempt_at: string | null
}

/**
 * Writes what became of the attempts that still hold their claims; the others are superseded and are not among the
 * answer. Changes made meanwhile keep a listing pending, and so does a look that was asked for. Whoever asked by hand while the attempt ran does not
 * wait with it.
 */
export async function settleClaims(
  transaction: Transaction,
  outcomes: readonly Outcome[],
  timing: CheckTiming,
): Promise<Settled[]> {
  const given = JSON.stringify(outcomes.map(placed))
  const of = sql`(select (v ->> 0)::uuid as listing_id, (v ->> 1)::uuid as claim, (v ->> 2)::bigint as wanted_version,
      v ->> 3 as result, nullif(v -> 4, 'null') as accepted, v -> 5 as in_doubt, nullif(v -> 6, 'null') as calendar_doubt,
      v ->> 7 as error_code, v ->> 8 as error_message, 
      clock_timestamp() + make_interval(secs => (v ->> 9)::float8 / 1000) as next_attempt_at,
      nullif(v -> 10, 'null') as refused_groups, v ->> 11 as evidence, v -> 12 as tasks
    from jsonb_array_elements(${given}::jsonb) v offset 0) o`
  const changed = sql`(s.wanted_version > o.wanted_version)`
  const sent = sql`(o.evidence in ('sent', 'mends'))`
  const seen = sql`(o.evidence = 'seen')`
  const more = sql`(${changed} or s.look_wanted)`
  const next = sql`(case when s.trigger in ('manual', 'connector') and ${changed} then null else o.next_attempt_at end)`
  const message = sql`(case when o.result = 'unasked' then coalesce(o.error_message, s.error_message) else o.error_message end)`
  const [, settled] = await Promise.all([
    lockListings(transaction, outcomes.filter(changesListing)),
    rows(
      transaction,
      sql<Settled>`update listing_syncs s set
          status = case when ${more} or ${next} is not null then 'pending'
            when o.result = 'accepted' then 'completed' else 'failed' end,
          attempts = case when o.result = 'unasked' then greatest(s.attempts - 1, 0)
            when o.result in ('accepted', 'refused') and ${more} then 0 else s.attempts end,
          synced_version = case when o.result = 'accepted' then o.wanted_version else s.synced_version end,
          last_synced_at = case when o.result = 'accepted' then now() else s.last_synced_at end,
          accepted = coalesce(o.accepted, s.accepted),
          in_doubt = o.in_doubt, calendar_doubt = o.calendar_doubt, refused_groups = o.refused_groups,
          flight_from = case when o.result = 'accepted' then null else s.flight_from end,
          flight_to = case when o.result = 'accepted' then null else s.flight_to end,
          looking = s.looking and o.result <> 'accepted',
          mode = case when o.result = 'accepted' and not ${changed} then 'delta' else s.mode end,
          behind_since = case when o.result <> 'accepted' then s.behind_since when ${changed} then s.pending_since end,
          stale_since = case when o.result = 'accepted' then null else s.stale_since end,
          due_at = coalesce(${next}, s.due_at), next_attempt_at = ${next},
          job_due_at = case when ${next} is not null then ${next} when ${more} then s.due_at end,
          pending_since = case when o.result = 'accepted' then s.pending_since
            else coalesce(s.pending_since, clock_timestamp()) end,
          error_code = case when o.result = 'unasked' then coalesce(o.error_code, s.error_code) else o.error_code end,
          error_message = ${message},
          shown_at = case when o.result = 'accepted' or ${message} is distinct from s.error_message then clock_timestamp()
            else s.shown_at end,
          unverified_since = case when ${sent} then coalesce(s.unverified_since, clock_timestamp())
            when ${seen} then null else s.unverified_since end,
          verified_at = case when ${seen} then clock_timestamp() else s.verified_at end,
          check_at = case when ${sent} then clock_timestamp() + ${checkDelay(
            timing,
            sql`case
              when o.evidence = 'mends' then s.failed_checks else 0 end`,
          )}
            when ${seen} then clock_timestamp() + ${idleDelay(timing)} else s.check_at end,
          check_from = case when ${sent} then least(s.check_from, coalesce(s.flight_from, current_date))
            when ${seen} then null else s.check_from end,
          check_to = case when ${sent} then greatest(s.check_to, coalesce(s.flight_to, current_date))
            when ${seen} then null else s.check_to end,
          failed_checks = case when o.evidence in ('sent', 'seen') then 0 else s.failed_checks end,
          tasks = case when ${sent} then ${joinedTasks} when ${seen} then '[]' else s.tasks end,
          claim = null, claimed_by = null, claimed_until = null, changed_at = clock_timestamp(), announced_at = clock_timestamp()
        from ${of}
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = o.listing_id and s.claim = o.claim
        returning s.channel_listing_id as listing_id, s.status, s.next_attempt_at`,
    ),
    changeListings(transaction, outcomes.filter(changesListing)),
  ])
  announce(
    transaction,
    settled.map(({ listing_id }) => listing_id),
  )
  return settled
}

/** Each member by its place: quicker for the database than to look it up by its name. */
const placed = (o: Outcome) => [
  ...[o.listing_id, o.claim, o.wanted_version, o.result, o.accepted, o.in_doubt, o.calendar_doubt],
  ...[o.error_code, o.error_message, o.wait_ms, o.refused_groups, o.evidence, o.tasks],
]

/** Whether a result may change the status of the listing; in quiet times none does. */
const changesListing = ({ result, listing_status }: Outcome) =>
  result === 'refused' || (result === 'accepted' && listing_status !== 'active')

/** Writers take the listing before its sync state, always in this order, so that none waits in a circle. */
const lockListings = async (transaction: Transaction, outcomes: readonly Outcome[]) =>
  outcomes.length > 0 &&
  rows(
    transaction,
    sql`select 1 from channel_listings l where l.org_id = ${transaction.orgId}
        and l.id = any(${outcomes.map(({ listing_id }) => listing_id)}::uuid[])
      order by l.id for no key update`,
  )

/** Only those whose results were written: their claims are gone. */
const changeListings = async (transaction: Transaction, outcomes: readonly Outcome[]) =>
  outcomes.length > 0 &&
  rows(
    transaction,
    sql`update channel_listings l set status = ${status}, updated_at = clock_timestamp()
      from jsonb_to_recordset(${JSON.stringify(outcomes.map(({ listing_id, result }) => ({ listing_id, result })))}::jsonb)
        as o (listing_id uuid, result text), listing_syncs s
      where l.org_id = ${transaction.orgId} and l.id = o.listing_id and l.status <> 'paused' and s.org_id = l.org_id
        and s.channel_listing_id = l.id and s.claim is null and (s.status = 'failed' or o.result = 'accepted')
        and l.status <> ${status}`,
  )

const status = sql`(case when s.status = 'failed' then 'error' else 'active' end)`

export interface MonthRow {
  listing_id: string
  month: string
  nights: MonthValues
}

/**
 * Listings whose claims were lost have been told two things in an order that nobody knows: they are pushed whole, unless
 * they have moved to another target since. The job that writes this looks for what is due right after it, so that no
 * other is needed.
 */
export const wantWhole = (transaction: Transaction, targetId: string, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update listing_syncs s set mode = 'full', trigger = 'reconcile',
        status = case when s.status = 'in_progress' then s.status else 'pending' end,
        attempts = case when s.status = 'in_progress' then s.attempts else 0 end,
        requested_by = ${JSON.stringify(transaction.actor)}::jsonb, traceparent = ${transaction.traceparent},
        wanted_version = s.wanted_version + 1, wanted_at = now(), pending_since = coalesce(s.pending_since, now()),
        behind_since = coalesce(s.behind_since, now()), touched_from = '-infinity', touched_to = 'infinity',
        next_attempt_at = null, due_at = date_trunc('milliseconds', now()), changed_at = now()
      where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId}
        and s.channel_listing_id = any(${listingIds}::uuid[])`,
  )

/** A sample is read back after a while, when the PMS has applied what it took. */
export const verifyLater = (transaction: Transaction, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update listing_syncs set verify_at = now() + interval '30 seconds'
      where org_id = ${transaction.orgId} and channel_listing_id = any(${listingIds}::uuid[])`,
  )

/** Keeps what the PMS took, for those listings whose results were written. */
export const keepMonths = (transaction: Transaction, months: readonly MonthRow[]) =>
  rows(
    transaction,
    sql`insert into accepted_months as a (org_id, channel_listing_id, month, nights)
      select ${transaction.orgId}, m.listing_id, m.month, m.nights
      from jsonb_to_recordset(${JSON.stringify(months)}::jsonb) as m (listing_id uuid, month date, nights jsonb)
      on conflict (org_id, channel_listing_id, month) do update set nights = excluded.nights`,
  )

/** Keeps what the PMS showed when it was read back. */
export const keepChecks = (
  transaction: Transaction,
  checks: readonly { listing_id: string; in_sync: boolean; differences: object[] }[],
) =>
  rows(
    transaction,
    sql`insert into listing_checks (org_id, channel_listing_id, checked_at, in_sync, differences)
      select ${transaction.orgId}, c.listing_id, clock_timestamp(), c.in_sync, c.differences
      from jsonb_to_recordset(${JSON.stringify(checks)}::jsonb) as c (listing_id uuid, in_sync boolean, differences jsonb)
      join channel_listings l on l.org_id = ${transaction.orgId} and l.id = c.listing_id
      on conflict (channel_listing_id) do update set checked_at = excluded.checked_at, in_sync = excluded.in_sync,
        differences = excluded.differences`,
  )

/** Gives a listing the ids under which its unit was made at the PMS, while the attempt holds its claim. */
export const keepCreated = (
  transaction: Transaction,
  listing: { id: string; claim: string },
  made: { external_id: string; rate_plans: { rate_plan_id: string; external_id: string }[] },
) =>
  rows(
    transaction,
    sql<{ id: string }>`update channel_listings l set external_id = ${made.external_id},
        rate_plans = ${JSON.stringify(made.rate_plans)}::jsonb, updated_at = now(), version = version + 1
      where l.org_id = ${transaction.orgId} and l.id = ${listing.id} and exists (
        select 1 from listing_syncs s where s.org_id = l.org_id and s.channel_listing_id = l.id and s.claim = ${listing.claim})
      returning l.id`,
  )

/** The external ids that other listings of a target use. */
export const takenExternalIds = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql<{ external_id: string }>`select external_id from channel_listings
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and external_id is not null`,
  ).then((found) => found.map(({ external_id }) => external_id))
