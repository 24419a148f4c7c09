-- How far the PMSs are behind, for each provider: two numbers over all organizations, of what may be pushed.
-- `sync_backlog` stays for the release before this one.
create function sync_lag() returns table (provider text, listings bigint, oldest_seconds double precision)
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(t.config->>'provider', 'sandbox'), count(s.channel_listing_id),
    coalesce(extract(epoch from now() - min(s.behind_since)), 0)
  from channel_targets t
    left join (listing_syncs s
      join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id and l.status <> 'paused')
      on s.org_id = t.org_id and s.channel_target_id = t.id and s.is_open
  where t.status <> 'inactive'
  group by 1
$$;
alter function sync_lag owner to vacancy_lookout;
grant execute on function sync_lag to vacancy_app;
