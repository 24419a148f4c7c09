-- A target whose circuit is open was found without its job only if a listing waited for a push. Otherwise it was not probed
-- again, and nothing was verified, until the next push.

create index target_syncs_to_probe on target_syncs (probe_at) where opened_at is not null;

create or replace function overdue_targets(late interval)
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
  union
  select state.org_id, state.channel_target_id
  from target_syncs state
  join channel_targets target on target.org_id = state.org_id and target.id = state.channel_target_id
  where state.org_id not in (select move.org_id from organization_moves move)
    and state.opened_at is not null
    and state.probe_at < now() - late
    and coalesce(state.claimed_until, '-infinity') < now() - late
    and target.status <> 'inactive'
  limit 1000
$$;
