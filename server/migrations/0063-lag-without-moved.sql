-- An organization that has moved to another cell, or is being copied here, is pushed by the other cell: what its rows say
-- here is out of date, and no listing is behind because of it. One that is only frozen is behind.
create or replace function sync_lag()
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
    and target.org_id not in (select org_id from organization_moves where status in ('moved', 'arriving'))
  group by 1
$$;
