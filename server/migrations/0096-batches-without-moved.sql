-- An organization that is frozen or has moved is left out of what workers do at intervals, but it still took its places
-- among the rows that are found: with more due rows than the limit it kept all other organizations from being found, for
-- as long as its move lasted. Expired holds and failed refunds are left as they are: no organization has as many.

create or replace function calendar_feeds_to_fetch()
returns table (org_id uuid, calendar_feed_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select feed.org_id, feed.id
  from calendar_feeds feed
  where feed.org_id not in (select move.org_id from organization_moves move)
    and feed.direction = 'import'
    and feed.status <> 'inactive'
    and feed.next_fetch_at <= now()
  order by feed.next_fetch_at
  limit 1000
$$;

create or replace function targets_to_check(age interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select target.org_id, target.id
  from channel_targets target
  where target.org_id not in (select move.org_id from organization_moves move)
    and target.status <> 'inactive'
    and coalesce(target.last_health_check_at, '-infinity') < now() - age
  order by target.last_health_check_at nulls first
  limit 1000
$$;

create or replace function targets_to_reconcile()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select state.org_id, state.channel_target_id
  from target_syncs state
  join channel_targets target on target.org_id = state.org_id and target.id = state.channel_target_id
  where state.org_id not in (select move.org_id from organization_moves move)
    and state.reconcile_at <= now()
    and target.status <> 'inactive'
  order by state.reconcile_at
  limit 100
$$;

create or replace function targets_to_ask_for_bookings()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select target.org_id, target.id
  from channel_targets target
  join target_syncs state on state.org_id = target.org_id and state.channel_target_id = target.id
  where target.org_id not in (select move.org_id from organization_moves move)
    and target.status in ('active', 'error')
    and target.config ->> 'provider' in ('channex', 'hostaway')
    and (state.bookings_polled_at is null or state.bookings_polled_at < now() - interval '60 seconds')
  order by state.bookings_polled_at nulls first
  limit 1000
$$;

create or replace function overdue_targets(late interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct sync.org_id, sync.channel_target_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  join target_syncs state on state.org_id = sync.org_id and state.channel_target_id = sync.channel_target_id
  where sync.org_id not in (select move.org_id from organization_moves move)
    and sync.is_open
    and coalesce(greatest(state.probe_at, state.waits_until), '-infinity') < now() - late
    and coalesce(state.claimed_until, '-infinity') < now() - late
    and (
      (
        sync.status = 'pending'
        and sync.due_at < now() - late
        and listing.status <> 'paused'
        and target.status <> 'inactive'
      )
      or (sync.status = 'in_progress' and sync.claimed_until < now() - late and sync.due_at < now())
    )
  limit 1000
$$;

create or replace function listings_gone_stale()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_listing_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  where sync.org_id not in (select move.org_id from organization_moves move)
    and sync.behind_since is not null
    and sync.stale_since is null
    and listing.status <> 'paused'
    and target.status <> 'inactive'
    and sync.behind_since
      < now() - make_interval(secs => coalesce((target.config ->> 'stale_after_seconds')::int, 900))
  limit 1000
$$;

create or replace function listings_to_verify()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_listing_id
  from listing_syncs sync
  where sync.org_id not in (select move.org_id from organization_moves move)
    and sync.verify_at <= now()
  limit 1000
$$;

create or replace function targets_to_read_back()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_target_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  join target_syncs state on state.org_id = sync.org_id and state.channel_target_id = sync.channel_target_id
  where sync.org_id not in (select move.org_id from organization_moves move)
    and sync.check_at <= now() - interval '2 seconds'
    and sync.status = 'completed'
    and listing.status <> 'paused'
    and target.status = 'active'
    and state.opened_at is null
    and coalesce(state.check_job_at < now() - interval '30 seconds', true)
  group by 1, 2
  order by min(sync.check_at)
  limit 1000
$$;

create or replace function booking_conflicts_to_retry()
returns table (org_id uuid, booking_conflict_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select conflict.org_id, conflict.id
  from booking_conflicts conflict
  where conflict.org_id not in (select move.org_id from organization_moves move)
    and conflict.status = 'open'
    and case conflict.reason
      when 'unlinked_room' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
      )
      when 'unlinked_plan' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
          and listing.rate_plans @> jsonb_build_array(jsonb_build_object('external_id', conflict.plan))
      )
      -- Whatever frees a room is to be pushed. A change that was not committed at the last try may bear an
      -- earlier time.
      when 'no_room' then exists (
        select 1
        from listing_syncs sync
        where sync.org_id = conflict.org_id
          and sync.unit_id = conflict.unit_id
          and sync.changed_at > conflict.tried_at - interval '5 seconds'
      )
      when 'not_processed' then conflict.tried_at < now() - interval '5 minutes'
      when 'imported_reservation' then conflict.tried_at < now() - interval '1 minute'
      else false
    end
  order by conflict.tried_at
  limit 200
$$;

create or replace function payments_to_settle(late interval)
returns table (org_id uuid, payment_intent_id uuid, payment_refund_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  (
    select intent.org_id, intent.id, null::uuid
    from payment_intents intent
    where intent.org_id not in (select move.org_id from organization_moves move)
      and intent.next_attempt_at < now() - late
    order by intent.next_attempt_at
    limit 500
  )
  union all
  (
    select refund.org_id, refund.payment_intent_id, refund.id
    from payment_refunds refund
    where refund.org_id not in (select move.org_id from organization_moves move)
      and refund.next_attempt_at < now() - late
    order by refund.next_attempt_at
    limit 500
  )
$$;

create or replace function guest_erasures_to_work()
returns table (org_id uuid, guest_erasure_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select erasure.org_id, erasure.id
  from guest_erasures erasure
  where erasure.org_id not in (select move.org_id from organization_moves move)
    and erasure.status <> 'completed'
    and erasure.updated_at < now() - interval '60 seconds'
  order by erasure.updated_at
  limit 100
$$;

create or replace function guests_to_forget(usual_days integer, most integer)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with retention as materialized (
    select
      organization.id,
      case
        when organization.settings #>> '{retention,guest_days}' ~ '^[1-9][0-9]{0,4}$'
          then (organization.settings #>> '{retention,guest_days}')::int
        else usual_days
      end as days
    from organizations organization
    where organization.id not in (select move.org_id from organization_moves move)
  )
  select booking.org_id, booking.id
  from bookings booking
  join retention on retention.id = booking.org_id
  where booking.guest_erased_at is null
    and booking.departure < current_date - (select min(days) from retention)
    and booking.departure < current_date - retention.days
  order by booking.departure
  limit most
$$;
