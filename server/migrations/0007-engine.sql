-- The engine pushes per target: what it must know of a target, of a listing's nights, and of what the PMS took.

-- The lock of a target: shared by changes that concern it, alone for a worker that looks for what is due.
create function target_lock(target uuid) returns bigint language sql immutable parallel safe
  return hashtextextended('sync ' || target::text, 0);
grant execute on function target_lock to vacancy_app;

-- A listing may wait to be made at the PMS: until then it has no external id. Plans have external ids of their own.
alter table channel_listings drop column json;
drop function channel_listing_json(uuid, uuid, uuid, uuid, uuid, text, text, timestamptz, text, timestamptz, timestamptz);
alter table channel_listings alter column external_id drop not null;
alter table channel_listings add column rate_plans jsonb not null default '[]' -- [{rate_plan_id, external_id}]
  check (jsonb_typeof(rate_plans) = 'array');
-- When it was synced and what went wrong stand in listing_syncs alone: the same in two rows was two updates a push.
alter table channel_listings drop column last_synced_at, drop column error_message;
create function channel_listing_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, channel_target_id uuid, external_id text, rate_plans jsonb,
  status text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(l)::text from (select id, org_id, account_id, unit_id, channel_target_id, external_id, rate_plans,
    status, iso(created_at) as created_at, iso(updated_at) as updated_at) l
$$;
alter table channel_listings add column json text not null generated always as (channel_listing_json(id, org_id,
  account_id, unit_id, channel_target_id, external_id, rate_plans, status, created_at, updated_at)) stored;
create index channel_listings_of_plans on channel_listings using gin (rate_plans jsonb_path_ops);

-- What is known of one target's PMS: who speaks to it now, whether it answers, and how many calls it allows.
create table target_syncs (
  channel_target_id uuid primary key,
  org_id uuid not null,
  claimed_by uuid,                             -- the job that speaks to the PMS now; there is one at a time
  claimed_until timestamptz(3),
  failures integer not null default 0,         -- calls in a row that came to nothing
  opened_at timestamptz(3),                    -- since when the circuit is open: only probes are sent
  probe_at timestamptz(3),                     -- when the next probe may be sent
  waits_until timestamptz(3),                  -- when the PMS allows the next call
  budgets jsonb not null default '{}',         -- by kind: {sent: [ms], blocked_until: ms, calls, window_seconds}
  reconcile_at timestamptz(3) not null,        -- when everything is read back next
  reconciled_at timestamptz(3),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id) on delete cascade
) with (fillfactor = 70);
create index target_syncs_to_reconcile on target_syncs (reconcile_at);
create index target_syncs_of_org on target_syncs (org_id, channel_target_id);
create function add_target_sync() returns trigger language plpgsql as $$
begin
  -- Spread over the hours after midnight UTC, so that a PMS is not asked by everybody at once.
  insert into target_syncs (channel_target_id, org_id, reconcile_at)
  values (new.id, new.org_id, date_trunc('day', now()) + interval '1 day' + random() * interval '4 hours');
  return null;
end $$;
create trigger add_target_sync after insert on channel_targets for each row execute function add_target_sync();
alter table channel_targets no force row level security;
insert into target_syncs (channel_target_id, org_id, reconcile_at)
  select id, org_id, date_trunc('day', now()) + interval '1 day' + random() * interval '4 hours' from channel_targets;
alter table channel_targets force row level security;

alter table listing_syncs
  add column touched_from date,                -- the nights that changed since the last push set out
  add column touched_to date,
  add column flight_from date,                 -- the nights of pushes that did not succeed yet
  add column flight_to date,
  add column calendar_doubt jsonb,             -- nights that were sent and that nobody knows the fate of
  add column behind_since timestamptz(3),      -- the oldest change that the PMS has not taken
  add column look_wanted boolean not null default false, -- the PMS is to be read back by the next push
  add column looking boolean not null default false,     -- by the pushes that did not succeed yet
  add column verify_at timestamptz(3),         -- when it is read back, because it is one of the sample
  add column stale_since timestamptz(3);       -- since when that lasts longer than the target allows
alter table listing_syncs drop constraint listing_syncs_trigger_check;
alter table listing_syncs add constraint listing_syncs_trigger_check check (trigger in
  ('manual', 'change', 'schedule', 'webhook', 'reconcile', 'retry', 'reconnect', 'connector'));
alter table listing_syncs drop column json;
drop function listing_sync_json(uuid, text, timestamptz, text, integer, timestamptz, bigint, bigint);
-- Made when it is read or told, not stored: each step of each push would make it again, and it was most of what the
-- update cost. In plpgsql, because starting the executor for a function of SQL takes longer than the function.
create function listing_sync_json(
  channel_listing_id uuid, status text, last_synced_at timestamptz, error_message text, error_code text,
  attempts integer, next_attempt_at timestamptz, wanted_version bigint, synced_version bigint, behind_since timestamptz,
  stale_since timestamptz)
returns text language plpgsql immutable parallel safe as $$
begin
  return json_build_object('channel_listing_id', channel_listing_id, 'status', status,
    'last_synced_at', to_char(last_synced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'error_message', error_message, 'error_code', error_code, 'attempts', attempts,
    'next_attempt_at', to_char(next_attempt_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'in_sync', wanted_version = synced_version, 'pending_changes', wanted_version - synced_version,
    'behind_since', to_char(behind_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'stale', stale_since is not null)::text;
end $$;
create or replace function announce_sync() returns trigger language plpgsql as $$
begin
  perform pg_notify('sync', '["' || new.org_id || '",' || listing_sync_json(new.channel_listing_id, new.status,
    new.last_synced_at, new.error_message, new.error_code, new.attempts, new.next_attempt_at, new.wanted_version,
    new.synced_version, new.behind_since, new.stale_since) || ']');
  return null;
end $$;
drop trigger announce_sync on listing_syncs;
create trigger announce_sync after update on listing_syncs for each row
  when (old.status is distinct from new.status or old.attempts is distinct from new.attempts
    or old.stale_since is distinct from new.stale_since)
  execute function announce_sync();
-- Every change of state writes every index: those that others can stand in for go.
drop index listing_syncs_waiting;
drop index listing_syncs_by_id;
-- A column of its own, because a claim does not change it: then no index has to be written.
alter table listing_syncs
  add column is_open boolean not null generated always as (status in ('pending', 'in_progress')) stored;
-- After the column: PostgreSQL 15.20 and its contemporaries refuse to rewrite a table whose row type a function takes.
create function sync_json(s listing_syncs) returns text language sql stable parallel safe return listing_sync_json(
  s.channel_listing_id, s.status, s.last_synced_at, s.error_message, s.error_code, s.attempts, s.next_attempt_at,
  s.wanted_version, s.synced_version, s.behind_since, s.stale_since);
create index listing_syncs_due on listing_syncs (org_id, channel_target_id, due_at) where is_open;
create index listing_syncs_to_verify on listing_syncs (verify_at) where verify_at is not null;
create index listing_syncs_behind on listing_syncs (behind_since) where behind_since is not null and stale_since is null;

-- The nights that the PMS took, one row for each month of a listing: dense arrays, null where nothing is known.
create table accepted_months (
  org_id uuid not null,
  channel_listing_id uuid not null,
  month date not null check (extract(day from month) = 1),
  nights jsonb not null,                       -- {rooms: [n, …], plans: {plan: {term: [n, …]}}}
  primary key (org_id, channel_listing_id, month),
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id) on delete cascade
) with (fillfactor = 80);

-- What the PMS showed when it was read back last.
create table listing_checks (
  channel_listing_id uuid primary key,
  org_id uuid not null,
  checked_at timestamptz(3) not null,
  in_sync boolean not null,
  differences jsonb not null default '[]',
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id) on delete cascade
);

-- Each entry locked the same row of its organization; under concurrency that was a lock of many holders for each push.
-- The policy on the table says the same: only the organization of the transaction can be written.
alter table sync_audit drop constraint sync_audit_org_id_fkey;
alter table sync_audit alter column account_id drop not null;
alter table sync_audit add column calendar jsonb; -- the nights of a push: {date_from, date_to, rooms: [...], rates: [...]}

do $$ declare name text; begin
  foreach name in array array['target_syncs', 'accepted_months', 'listing_checks'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('grant select, insert, update, delete on %I to vacancy_app', name);
  end loop;
end $$;
create policy lookout on target_syncs for select to vacancy_lookout using (true);
grant select on target_syncs to vacancy_lookout;
grant execute on function channel_listing_json, listing_sync_json, sync_json, add_target_sync to vacancy_app;

-- Targets with pushes that are overdue although nothing seems to work on them: ids only, across organizations.
drop function overdue_syncs(interval);
create function overdue_targets(late interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct s.org_id, s.channel_target_id from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
    join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
    join target_syncs g on g.org_id = s.org_id and g.channel_target_id = s.channel_target_id
  where s.is_open and coalesce(greatest(g.probe_at, g.waits_until), '-infinity') < now() - late
    and coalesce(g.claimed_until, '-infinity') < now() - late
    and ((s.status = 'pending' and s.due_at < now() - late and l.status <> 'paused' and t.status <> 'inactive')
      or (s.status = 'in_progress' and s.claimed_until < now() - late and s.due_at < now()))
  limit 1000
$$;
alter function overdue_targets owner to vacancy_lookout;

-- Targets whose PMS is to be read back whole: once a day each.
create function targets_to_reconcile()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select g.org_id, g.channel_target_id from target_syncs g
    join channel_targets t on t.org_id = g.org_id and t.id = g.channel_target_id
  where g.reconcile_at <= now() and t.status <> 'inactive'
  order by g.reconcile_at limit 100
$$;
alter function targets_to_reconcile owner to vacancy_lookout;

-- Listings that are behind for longer than their target allows (15 minutes unless it says otherwise).
create function listings_gone_stale()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.org_id, s.channel_listing_id from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
    join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
  where s.behind_since is not null and s.stale_since is null and l.status <> 'paused' and t.status <> 'inactive'
    and s.behind_since < now() - make_interval(secs => coalesce((t.config ->> 'stale_after_seconds')::int, 900))
  limit 1000
$$;
alter function listings_gone_stale owner to vacancy_lookout;
-- Listings of the sample whose time has come.
create function listings_to_verify()
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.org_id, s.channel_listing_id from listing_syncs s where s.verify_at <= now() limit 1000
$$;
alter function listings_to_verify owner to vacancy_lookout;
grant execute on function listings_to_verify, overdue_targets, targets_to_reconcile, listings_gone_stale to vacancy_app;
