import { sql } from 'kysely'
import { rows, type Actor, type Transaction } from '#db/scope.ts'
import type { PlanNights, RefusedGroups, RoomNights } from '#outside/pms/pms.ts'
import { announce } from './announce-queries.ts'
import { maxAttempts } from './sync-status.ts'

/** One listing taken for one attempt. */
export interface Claim {
  listing_id: string
  listing_status: string
  claim: string
  account_id: string
  unit_id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
  attempts: number
  wanted_version: number
  mode: 'delta' | 'full'
  trigger: string
  /** Whether the PMS is to be believed rather than our memory of it. */
  looking: boolean
  requested_by: Actor
  traceparent: string | null
  /** The content that the PMS took last, as JSON: in that form it waits for its turn, and for the collector, as one thing. */
  accepted: string | null
  /** Fields of the content that an earlier attempt sent and that nobody knows the fate of; `*` is all of them. */
  in_doubt: string[]
  /** The nights of which an earlier attempt did not learn what became of them. */
  calendar_doubt: Doubt | null
  /** How far a refused message was searched. */
  refused_groups: RefusedGroups | null
  /** The local nights that may differ; null when none does. Never one that is past. */
  first_night: string | null
  last_night: string | null
  started_at: string
}

/** What was sent and did not come back with an answer; null instead of runs when they were too many to keep. */
export interface Doubt {
  date_from: string
  date_to: string
  rooms: RoomNights[] | null
  rates: PlanNights[] | null
}

/** How far ahead the PMS is kept. */
export const nightsAhead = 500

/**
 * Takes the listings of a target that are due: unclaimed, or with a claim that lapsed, or that belongs to this very
 * job (the queue has declared its earlier run dead). The target is locked, so no change that concerns one of them
 * is half done. The beginning of each attempt is written into the history with it: attempts that are counted are there,
 * whatever becomes of the worker.
 */
export async function claimDue(
  transaction: Transaction,
  targetId: string,
  jobId: string,
  leaseMs: number,
  most: number,
): Promise<Claim[]> {
  const claims = await rows(
    transaction,
    sql<Claim>`with taken as (
        update listing_syncs s set status = 'in_progress', attempts = s.attempts + 1, claim = gen_random_uuid(),
          claimed_by = ${jobId}, claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0),
          pushed_at = clock_timestamp(), pending_since = null, next_attempt_at = null, job_due_at = null,
          flight_from = least(s.flight_from, s.touched_from), flight_to = greatest(s.flight_to, s.touched_to),
          touched_from = null, touched_to = null, looking = s.looking or s.look_wanted, look_wanted = false,
          changed_at = clock_timestamp(), announced_at = clock_timestamp(),
          -- An attempt that never settled may have sent anything of what it had taken on.
          in_doubt = case when s.status = 'in_progress' then '["*"]' else s.in_doubt end,
          calendar_doubt = case when s.status = 'in_progress' and s.flight_from is not null then jsonb_build_object(
              'date_from', greatest(s.flight_from, '1970-01-01'), 'date_to', least(s.flight_to, '2400-01-01'),
              'rooms', null, 'rates', null)
            else s.calendar_doubt end
        where s.org_id = ${transaction.orgId} and s.channel_listing_id = any(array(
          select d.channel_listing_id from listing_syncs d
          where d.org_id = ${transaction.orgId} and d.channel_target_id = ${targetId} and d.is_open
            and (d.status = 'pending' and d.due_at <= clock_timestamp()
              or d.status = 'in_progress' and (d.claimed_by = ${jobId} or d.claimed_until < now()))
            and (select l.status from channel_listings l where l.org_id = d.org_id and l.id = d.channel_listing_id) <> 'paused'
          order by d.due_at limit ${most}))
        returning s.*),
      claimed as (select t.channel_listing_id as listing_id, l.status as listing_status, t.claim, l.account_id, t.unit_id, l.external_id, l.rate_plans,
        t.attempts, t.wanted_version, t.mode, t.trigger, t.looking, t.requested_by, t.traceparent, t.accepted::text, t.in_doubt,
        t.calendar_doubt, t.refused_groups, case when n.first_night <= n.last_night then n.first_night end as first_night,
        case when n.first_night <= n.last_night then n.last_night end as last_night, t.pushed_at as started_at
        from taken t,
        lateral (select account_id, external_id, rate_plans, status from channel_listings
          where org_id = ${transaction.orgId} and id = t.channel_listing_id offset 0) l,
        lateral (select (now() at time zone timezone)::date as today from spaces
          where org_id = ${transaction.orgId} and id =
            (select space_id from units where org_id = ${transaction.orgId} and id = t.unit_id) offset 0) p,
        lateral (select t.mode = 'full' or t.accepted is null as whole) w,
        lateral (select
          case when w.whole then p.today
            when t.flight_from is not null then greatest(t.flight_from, p.today) end as first_night,
          case when w.whole then p.today + ${nightsAhead - 1}::int
            when t.flight_to is not null then least(t.flight_to, p.today + ${nightsAhead - 1}::int) end as last_night) n),
      begun as (
        insert into sync_audit (org_id, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status,
          mode, trigger, attempt, max_attempts, actor, started_at, trace_id)
        select ${transaction.orgId}, c.account_id, c.listing_id, ${targetId}, c.unit_id, ${jobId}, 'sync.started', 'in_progress',
          c.mode, c.trigger, c.attempts, ${maxAttempts}, c.requested_by, c.started_at, nullif(split_part(c.traceparent, '-', 2), '')
        from claimed c)
      select * from claimed`,
  )
  announce(
    transaction,
    claims.map(({ listing_id }) => listing_id),
  )
  return claims
}
