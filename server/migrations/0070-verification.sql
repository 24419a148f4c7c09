-- Accepted is not verified: a listing is in sync when the PMS was read back, or confirmed its task, after the last push.
-- The same columns keep when each listing is read back next, so that drift is found while nothing is pushed.
alter table listing_syncs
  add column unverified_since timestamptz(3),  -- since when the PMS has something that nobody has seen it show
  add column verified_at timestamptz(3),       -- when the PMS last showed, or confirmed, what is wanted
  add column check_at timestamptz(3),          -- when it is read back next; null before the first push
  add column check_from date,                  -- the nights to read back; null means all
  add column check_to date,
  add column failed_checks integer not null default 0, -- in a row
  add column tasks jsonb not null default '[]'; -- the tasks of the PMS that are to confirm the pushes
create index listing_syncs_to_check on listing_syncs (check_at) where check_at is not null;
-- When the job that reads this target back begins; null when none waits.
alter table target_syncs add column check_job_at timestamptz(3);

-- What was pushed before is read back soon, spread over a quarter of an hour.
alter table listing_syncs no force row level security;
update listing_syncs set unverified_since = last_synced_at, check_at = now() + random() * interval '15 minutes'
  where last_synced_at is not null;
alter table listing_syncs force row level security;

-- In plpgsql, because starting the executor for a function of SQL takes longer than the function.
create or replace function sync_json(s listing_syncs) returns text language plpgsql stable parallel safe as $$
begin
  return json_build_object('channel_listing_id', s.channel_listing_id, 'status', s.status,
    'last_synced_at', iso(s.last_synced_at), 'error_message', s.error_message, 'error_code', s.error_code,
    'attempts', s.attempts, 'next_attempt_at', iso(s.next_attempt_at),
    'in_sync', s.wanted_version = s.synced_version and s.unverified_since is null,
    'pending_changes', s.wanted_version - s.synced_version, 'behind_since', iso(s.behind_since),
    'stale', s.stale_since is not null,
    'verification', case when s.unverified_since is not null then 'pending'
      when s.verified_at is not null then 'verified' end,
    'unverified_since', iso(s.unverified_since), 'verified_at', iso(s.verified_at))::text;
end $$;

-- Targets with listings that are to be read back by now: ids only, across organizations.
create function targets_to_read_back() returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.org_id, s.channel_target_id from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
    join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
    join target_syncs g on g.org_id = s.org_id and g.channel_target_id = s.channel_target_id
  where s.check_at <= now() - interval '2 seconds' and s.status = 'completed' and l.status <> 'paused'
    and t.status = 'active' and g.opened_at is null
    and coalesce(g.check_job_at < now() - interval '30 seconds', true)
  group by 1, 2 order by min(s.check_at) limit 1000
$$;
alter function targets_to_read_back owner to vacancy_lookout;
grant execute on function targets_to_read_back to vacancy_app;
