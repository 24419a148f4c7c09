-- Which listings and targets the scheduler has to look at, and how far all PMSs are behind.

-- Targets with pushes that are overdue although no worker seems to push them. A push that is suspended (its
-- listing is paused or its target inactive) is not overdue; an attempt of it whose worker died is, so that it
-- does not look busy for ever.
create function overdue_targets(late interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct sync.org_id, sync.channel_target_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  join target_syncs state on state.org_id = sync.org_id and state.channel_target_id = sync.channel_target_id
  where sync.is_open
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
alter function overdue_targets owner to vacancy_lookout;
grant execute on function overdue_targets to vacancy_app;

-- Listings that are behind for longer than their target allows (15 minutes unless it says otherwise).
create function listings_gone_stale()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_listing_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  where sync.behind_since is not null
    and sync.stale_since is null
    and listing.status <> 'paused'
    and target.status <> 'inactive'
    and sync.behind_since
      < now() - make_interval(secs => coalesce((target.config ->> 'stale_after_seconds')::int, 900))
  limit 1000
$$;
alter function listings_gone_stale owner to vacancy_lookout;
grant execute on function listings_gone_stale to vacancy_app;

-- Listings of the sample that are to be read back by now.
create function listings_to_verify()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_listing_id
  from listing_syncs sync
  where sync.verify_at <= now()
  limit 1000
$$;
alter function listings_to_verify owner to vacancy_lookout;
grant execute on function listings_to_verify to vacancy_app;

-- Targets with listings that should have been read back two seconds ago, and without a job that does so.
create function targets_to_read_back()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select sync.org_id, sync.channel_target_id
  from listing_syncs sync
  join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
  join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
  join target_syncs state on state.org_id = sync.org_id and state.channel_target_id = sync.channel_target_id
  where sync.check_at <= now() - interval '2 seconds'
    and sync.status = 'completed'
    and listing.status <> 'paused'
    and target.status = 'active'
    and state.opened_at is null
    and coalesce(state.check_job_at < now() - interval '30 seconds', true)
  group by 1, 2
  order by min(sync.check_at)
  limit 1000
$$;
alter function targets_to_read_back owner to vacancy_lookout;
grant execute on function targets_to_read_back to vacancy_app;

-- How far the PMSs are behind, by provider and over all organizations; suspended listings do not count.
create function sync_lag()
returns table (provider text, listings bigint, oldest_seconds double precision)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select
    coalesce(target.config->>'provider', 'generic'),
    count(sync.channel_listing_id),
    coalesce(extract(epoch from now() - min(sync.behind_since)), 0)
  from channel_targets target
  left join (
    listing_syncs sync
    join channel_listings listing
      on listing.org_id = sync.org_id
      and listing.id = sync.channel_listing_id
      and listing.status <> 'paused'
  )
    on sync.org_id = target.org_id
    and sync.channel_target_id = target.id
    and sync.is_open
  where target.status <> 'inactive'
  group by 1
$$;
alter function sync_lag owner to vacancy_lookout;
grant execute on function sync_lag to vacancy_app;
