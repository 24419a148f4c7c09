import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { announce } from './announce-queries.ts'
import { alongMs, checkDelay, idleDelay, type CheckTiming } from './check-timing-queries.ts'
import { nightsAhead, type Claim } from './claim-queries.ts'

/** A listing whose turn it is to be read back. Nobody else reads it back meanwhile; pushes go on. */
export interface Check extends Claim {
  /** The tasks that are to confirm its pushes; an empty name among them asks for a look as well. */
  tasks: string[]
  failed_checks: number
  /** When it was last pushed, exactly: a push meanwhile makes the result worthless. */
  pushed_at: string
}

/** The target, if its PMS may be asked now. Its job for checks begins. */
export const beginChecks = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<TargetConnection>`with begun as (
        update target_syncs set check_job_at = null
        where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and opened_at is null
        returning channel_target_id)
      select t.id, t.account_id, t.name, t.config, t.credentials, t.status, t.version
      from channel_targets t join begun b on b.channel_target_id = t.id
      where t.org_id = ${transaction.orgId} and t.status = 'active'`,
  )

/** When a job for the next check of the target is to begin, if none waits that is early enough; notes that one does. */
export const takeNextCheck = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<{ at: string }>`update target_syncs g set check_job_at = greatest(n.at, clock_timestamp())
      from (select min(s.check_at) as at from listing_syncs s
        where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and s.status = 'completed') n
      where g.org_id = ${transaction.orgId} and g.channel_target_id = ${targetId}
        and n.at < clock_timestamp() + interval '60 seconds'
        and (g.check_job_at is null or g.check_job_at > n.at or g.check_job_at < now() - interval '30 seconds')
      returning iso(g.check_job_at) as at`,
  )

/** Takes those that are due for two minutes, and with them those that will be soon. */
export const takeChecks = (transaction: Transaction, targetId: string, timing: CheckTiming, max: number) =>
  rows(
    transaction,
    sql<Check>`with mine as (
        select s.channel_listing_id, s.check_at from listing_syncs s
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and s.status = 'completed'
          and l.status <> 'paused' and l.external_id is not null
          and s.check_at <= clock_timestamp() + case when s.unverified_since is null
            then make_interval(secs => ${alongMs(timing) / 1_000}::float8) else interval '0' end),
      taken as (
        update listing_syncs s set check_at = clock_timestamp() + interval '2 minutes'
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = any(array(
            select m.channel_listing_id from mine m order by m.check_at limit ${max}))
          and exists (select 1 from mine m where m.check_at <= clock_timestamp())
        returning s.*)
      select l.id as listing_id, l.status as listing_status, gen_random_uuid() as claim, l.account_id, l.unit_id,
        l.external_id, l.rate_plans, s.attempts, s.wanted_version, 'delta' as mode, s.trigger, true as looking,
        s.requested_by, s.traceparent, s.accepted::text, s.in_doubt, s.calendar_doubt,
        n.first_night, greatest(n.first_night, n.last_night) as last_night, now() as started_at,
        s.tasks, s.failed_checks, s.pushed_at::text as pushed_at
      from taken s
      join channel_listings l on l.org_id = ${transaction.orgId} and l.id = s.channel_listing_id
      join units u on u.org_id = l.org_id and u.id = l.unit_id
      join spaces p on p.org_id = u.org_id and p.id = u.space_id,
      lateral (select (now() at time zone p.timezone)::date as today) d,
      lateral (select greatest(d.today, s.check_from) as first_night,
        least(d.today + ${nightsAhead - 1}::int, s.check_to) as last_night) n`,
  )

/** What a check found. `late`: not applied yet, or shown differently; `unasked`: nobody could be asked. */
export interface CheckResult {
  listing_id: string
  wanted_version: number
  pushed_at: string
  result: 'verified' | 'late' | 'unasked' | 'failed'
  /** Until it is asked again, when nobody could be. */
  wait_ms: number
  error_code: string | null
  error_message: string | null
}

/** Writes what was found of those that nothing has happened to meanwhile. */
export async function settleChecks(
  transaction: Transaction,
  results: readonly CheckResult[],
  timing: CheckTiming,
) {
  const found = sql`jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as o (listing_id uuid, wanted_version bigint,
    pushed_at timestamptz, result text, wait_ms float8, error_code text, error_message text)`
  const settled = await rows(
    transaction,
    sql<{ listing_id: string; failed_checks: number; is_news: boolean }>`
      with before as (select s.channel_listing_id, s.unverified_since from listing_syncs s
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = any(array(select o.listing_id from ${found}))
        order by s.channel_listing_id for update)
      update listing_syncs s set
        unverified_since = case o.result when 'verified' then null when 'unasked' then s.unverified_since
          else coalesce(s.unverified_since, clock_timestamp()) end,
        verified_at = case when o.result = 'verified' then clock_timestamp() else s.verified_at end,
        check_at = case o.result when 'verified' then clock_timestamp() + ${idleDelay(timing)}
          when 'unasked' then clock_timestamp() + make_interval(secs => o.wait_ms / 1000)
          when 'late' then clock_timestamp() + ${checkDelay(timing, sql`s.failed_checks + 1`)} end,
        check_from = case when o.result <> 'verified' then s.check_from end,
        check_to = case when o.result <> 'verified' then s.check_to end,
        failed_checks = case o.result when 'verified' then 0 when 'late' then s.failed_checks + 1
          else s.failed_checks end,
        tasks = case when o.result in ('verified', 'failed') then '[]' else s.tasks end,
        -- The PMS refused after all: as after a push that was refused, but what it has of these nights is unknown.
        status = case when o.result = 'failed' then 'failed' else s.status end,
        wanted_version = s.wanted_version + case when o.result = 'failed' then 1 else 0 end,
        behind_since = case when o.result = 'failed' then coalesce(s.behind_since, s.unverified_since, now())
          else s.behind_since end,
        calendar_doubt = case when o.result = 'failed' then jsonb_build_object(
            'date_from', greatest(s.check_from, '1970-01-01'), 'date_to', least(s.check_to, '2400-01-01'),
            'rooms', null, 'rates', null)
          else s.calendar_doubt end,
        touched_from = case when o.result = 'failed' then least(s.touched_from, s.check_from) else s.touched_from end,
        touched_to = case when o.result = 'failed' then greatest(s.touched_to, s.check_to) else s.touched_to end,
        error_code = case when o.result = 'failed' then o.error_code else s.error_code end,
        error_message = case when o.result = 'failed' then o.error_message else s.error_message end,
        shown_at = case when o.result = 'failed' then clock_timestamp() else s.shown_at end,
        changed_at = clock_timestamp(), announced_at = clock_timestamp()
      from ${found}, before b
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = o.listing_id and s.status = 'completed'
        and b.channel_listing_id = s.channel_listing_id
        and s.wanted_version = o.wanted_version and s.pushed_at is not distinct from o.pushed_at
      returning o.listing_id, s.failed_checks,
        o.result = 'failed' or b.unverified_since is distinct from s.unverified_since as is_news`,
  )
  announce(
    transaction,
    settled.filter(({ is_news }) => is_news).map(({ listing_id }) => listing_id),
  )
  return settled
}

/** Before the target is locked, as everybody does. */
export const lockListingsOf = (transaction: Transaction, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql`select 1 from channel_listings where org_id = ${transaction.orgId} and id = any(${listingIds}::uuid[])
      order by id for no key update`,
  )

export const markListingsFailed = (transaction: Transaction, listingIds: readonly string[]) =>
  rows(
    transaction,
    sql`update channel_listings set status = 'error', updated_at = clock_timestamp()
      where org_id = ${transaction.orgId} and id = any(${listingIds}::uuid[]) and status <> 'paused'`,
  )
