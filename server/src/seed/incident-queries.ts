import { sql } from '#db/sql.ts'
import { rows, type Actor, type Scope } from '#db/scope.ts'

export interface PastStop {
  readonly space_id: string
  readonly reason: string
  readonly stoppedBy: Actor
  readonly liftedBy: Actor
  readonly daysAgo: number
}

/** A sales stop that lasted a day and a half. */
export const insertPastStop = (scope: Scope, { space_id, reason, stoppedBy, liftedBy, daysAgo }: PastStop) =>
  rows(
    scope,
    sql`
      with stop as (
        insert into sales_stops (org_id, account_id, space_id, reason, stopped_by, lifted_by, version, created_at,
          lifted_at)
        values (${scope.orgId}, ${scope.accountId}, ${space_id}, ${reason}, ${JSON.stringify(stoppedBy)},
          ${JSON.stringify(liftedBy)}, 2, now() - make_interval(days => ${daysAgo}),
          now() - make_interval(days => ${daysAgo}, hours => -36))
        returning *
      )
      insert into sync_audit (org_id, account_id, action, trigger, actor, changes, created_at)
      select stop.org_id, stop.account_id, step.action, 'change', step.actor,
        jsonb_build_array(jsonb_build_object('field', 'sales_stop', 'before', step.before, 'after', step.after)),
        step.at
      from stop
      cross join lateral (
        select jsonb_build_object('space_id', stop.space_id, 'unit_id', null, 'channel_target_id', null,
          'reason', stop.reason) as subject
      ) named
      cross join lateral (
        values
          ('sales.stopped', stop.stopped_by, null, named.subject, stop.created_at),
          ('sales.resumed', stop.lifted_by, named.subject, null, stop.lifted_at)
      ) as step (action, actor, before, after, at)`,
  )

/** A listing that the PMS could not take for an hour, and that is tried again this evening. */
export const makeStale = (scope: Scope, listingId: string) =>
  rows(
    scope,
    sql`
      update listing_syncs
      set attempts = 3,
        error_code = 'pms_unavailable',
        error_message = 'The PMS is being maintained and answered 503.',
        wanted_at = now() - interval '64 minutes',
        pending_since = now() - interval '64 minutes',
        behind_since = now() - interval '64 minutes',
        pushed_at = now() - interval '9 minutes',
        due_at = now() + interval '6 hours',
        next_attempt_at = now() + interval '6 hours',
        job_due_at = now() + interval '6 hours'
      where org_id = ${scope.orgId}
        and channel_listing_id = ${listingId}`,
  )

/** The latest bookings as events, which one endpoint received and the other one did not. */
export const insertDeliveries = (scope: Scope, endpoints: { working: string; failing: string }) =>
  rows(
    scope,
    sql`
      with latest as (
        select booking.*, unit.space_id
        from bookings booking
        join units unit
          on unit.org_id = booking.org_id
          and unit.id = booking.unit_id
        where booking.org_id = ${scope.orgId}
          and booking.status = 'confirmed'
        order by booking.created_at desc
        limit 24
      ),
      event as (
        insert into events (org_id, account_id, type, subject_id, data, occurred_at)
        select org_id, account_id, 'booking.created', id,
          json_build_object('booking', json::jsonb || jsonb_build_object('spaceId', space_id)), created_at
        from latest
        order by created_at
        returning *
      ),
      failing as (
        update webhook_endpoints
        set last_delivery_at = (select min(occurred_at) from event),
          failing_since = (select min(occurred_at) from event) + interval '1 hour'
        where org_id = ${scope.orgId}
          and id = ${endpoints.failing}
      ),
      working as (
        update webhook_endpoints
        set last_delivery_at = (select max(occurred_at) from event)
        where org_id = ${scope.orgId}
          and id = ${endpoints.working}
      )
      insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, status, attempts,
        last_attempt_at, duration_ms, response_status, response_body, error_message, created_at, delivered_at)
      select event.org_id, ${endpoints.working}::uuid, event.id, event.occurred_at, event.type, 'delivered', 1,
        event.occurred_at + interval '1 second', 40 + extract(minute from event.occurred_at)::int, 204, '', null,
        event.occurred_at, event.occurred_at + interval '1 second'
      from event
      union all
      select event.org_id, ${endpoints.failing}::uuid, event.id, event.occurred_at, event.type, 'failed', 10,
        event.occurred_at + interval '18 hours', 31, 404, '', 'The endpoint responded with 404.',
        event.occurred_at, null
      from event
      where event.occurred_at < now() - interval '1 day'`,
  )
