import { sql } from 'kysely'
import { rows, type Actor, type Transaction } from '#db/scope.ts'
import type { PlanNights, RoomNights, UnitContent } from '#outside/pms/pms.ts'

/** One listing taken for one attempt. */
export interface Claim {
  listing_id: string
  claim: string
  account_id: string
  unit_id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
  attempts: number
  wanted_version: number
  mode: 'delta' | 'full'
  trigger: string
  requested_by: Actor
  traceparent: string | null
  accepted: UnitContent | null
  /** Fields of the content that an earlier attempt sent and that nobody knows the fate of. */
  in_doubt: string[]
  /** The nights of which an earlier attempt did not learn what became of them. */
  calendar_doubt: Doubt | null
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
 * is half done.
 */
export const claimDue = (
  transaction: Transaction,
  targetId: string,
  jobId: string,
  leaseMs: number,
  most: number,
): Promise<Claim[]> =>
  rows(
    transaction,
    sql<Claim>`with due as (
        select s.channel_listing_id from listing_syncs s
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and l.status <> 'paused'
          and (s.status = 'pending' and s.due_at <= clock_timestamp()
            or s.status = 'in_progress' and (s.claimed_by = ${jobId} or s.claimed_until < now()))
        order by s.due_at, s.channel_listing_id limit ${most}),
      old as (
        select s.channel_listing_id, s.mode, l.account_id, l.external_id, l.rate_plans, w.today, w.hull_from, w.hull_to,
          s.mode = 'full' or s.accepted is null as whole
        from due join listing_syncs s on s.org_id = ${transaction.orgId} and s.channel_listing_id = due.channel_listing_id
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        join units u on u.org_id = s.org_id and u.id = s.unit_id
        join spaces p on p.org_id = u.org_id and p.id = u.space_id,
        lateral (select (now() at time zone p.timezone)::date as today,
          least(s.flight_from, s.touched_from) as hull_from, greatest(s.flight_to, s.touched_to) as hull_to) w)
      update listing_syncs s set status = 'in_progress', attempts = s.attempts + 1, claim = gen_random_uuid(),
        claimed_by = ${jobId}, claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0),
        pushed_at = clock_timestamp(), pending_since = null, next_attempt_at = null, job_due_at = null,
        flight_from = old.hull_from, flight_to = old.hull_to, touched_from = null, touched_to = null,
        changed_at = clock_timestamp()
      from old, lateral (select
        case when old.whole then old.today else greatest(old.hull_from, old.today) end as first_night,
        case when old.whole then old.today + ${nightsAhead - 1}::int
          else least(old.hull_to, old.today + ${nightsAhead - 1}::int) end as last_night) n
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = old.channel_listing_id
      returning s.channel_listing_id as listing_id, s.claim, old.account_id, s.unit_id, old.external_id, old.rate_plans,
        s.attempts, s.wanted_version, old.mode, s.trigger, s.requested_by, s.traceparent, s.accepted, s.in_doubt,
        s.calendar_doubt, case when n.first_night <= n.last_night then n.first_night end as first_night,
        case when n.first_night <= n.last_night then n.last_night end as last_night, s.pushed_at as started_at`,
  )

export interface Outgoing {
  listing_id: string
  claim: string
  in_doubt: string[]
  calendar_doubt: Doubt | null
}

/** Notes what is about to be sent, so that it is sent again should this attempt end without an answer. */
export const noteSent = (transaction: Transaction, outgoing: readonly Outgoing[]) =>
  rows(
    transaction,
    sql`update listing_syncs s set in_doubt = o.in_doubt, calendar_doubt = o.calendar_doubt
      from jsonb_to_recordset(${JSON.stringify(outgoing)}::jsonb)
        as o (listing_id uuid, claim uuid, in_doubt jsonb, calendar_doubt jsonb)
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = o.listing_id and s.claim = o.claim`,
  )
