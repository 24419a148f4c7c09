-- What analytics read: the stays of a period, straight from one index, however many there are besides.

alter table bookings
  -- The few that a look at a fortnight after the period would miss.
  add column is_long boolean not null generated always as (upper(nights) - lower(nights) > 14) stored;
create index bookings_by_departure on bookings (org_id, is_long, departure)
  include (arrival, status, account_id, unit_id, rooms, total_cents, currency, source, channel_target_id)
  where deleted_at is null;

create index calendar_blocks_by_night on calendar_blocks (org_id, night, unit_id) include (blocked);

-- How pushes ended, the latest first.
create index sync_audit_results on sync_audit (org_id, created_at desc)
  include (action, account_id, unit_id, started_at, finished_at) where action in ('sync.completed', 'sync.failed');

-- How far all PMSs are behind: two numbers over all organizations, of what may be pushed.
create function sync_backlog() returns table (listings bigint, oldest_seconds double precision)
language sql stable security definer set search_path = public, pg_temp as $$
  select count(*), coalesce(extract(epoch from now() - min(s.behind_since)), 0)
  from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
    join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
  where s.is_open and l.status <> 'paused' and t.status <> 'inactive'
$$;
alter function sync_backlog owner to vacancy_lookout;
grant execute on function sync_backlog to vacancy_app;
