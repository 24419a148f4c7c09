-- Where inventory is sent: connections to a PMS, the links of units to them, and the state of each link.

create function channel_target_json(
  id uuid, org_id uuid, account_id uuid, channel_type text, name text, config jsonb, status text,
  error_message text, last_health_check_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(t)::text from (select id, org_id, account_id, channel_type, name, config, status, error_message,
    iso(last_health_check_at) as last_health_check_at, iso(created_at) as created_at, iso(updated_at) as updated_at) t
$$;

-- A connection to one property at a PMS.
create table channel_targets (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  channel_type text not null check (channel_type = 'pms'),
  name text not null check (char_length(name) between 1 and 255),
  config jsonb not null check (jsonb_typeof(config) = 'object'), -- credentials stand here masked
  credentials bytea,                           -- sealed with AES-256-GCM; never leaves the server
  status text not null default 'pending' check (status in ('pending', 'active', 'error', 'inactive')),
  last_health_check_at timestamptz(3),
  error_message text,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (channel_target_json(id, org_id, account_id, channel_type, name, config, status,
    error_message, last_health_check_at, created_at, updated_at)) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
create index channel_targets_by_creation on channel_targets (org_id, created_at, id);
create index channel_targets_by_update on channel_targets (org_id, updated_at, id);
create index channel_targets_by_name on channel_targets (org_id, name, id);

create function channel_listing_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, channel_target_id uuid, external_id text, status text,
  last_synced_at timestamptz, error_message text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(l)::text from (select id, org_id, account_id, unit_id, channel_target_id, external_id, status,
    iso(last_synced_at) as last_synced_at, error_message, iso(created_at) as created_at, iso(updated_at) as updated_at) l
$$;

-- One unit offered through one target.
create table channel_listings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  channel_target_id uuid not null,
  external_id text not null check (char_length(external_id) between 1 and 255),
  status text not null default 'pending' check (status in ('pending', 'active', 'error', 'paused')),
  last_synced_at timestamptz(3),
  error_message text,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (channel_listing_json(id, org_id, account_id, unit_id, channel_target_id,
    external_id, status, last_synced_at, error_message, created_at, updated_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id) on update cascade,
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id) on update cascade,
  constraint listing_once_per_target unique (org_id, unit_id, channel_target_id),
  constraint external_id_once_per_target unique (org_id, channel_target_id, external_id)
);
create index channel_listings_by_creation on channel_listings (org_id, created_at, id);
create index channel_listings_by_update on channel_listings (org_id, updated_at, id);
create index channel_listings_by_status on channel_listings (org_id, status, id);
create index channel_listings_of_target on channel_listings (org_id, channel_target_id, created_at, id);

create function listing_sync_json(
  channel_listing_id uuid, status text, last_synced_at timestamptz, error_message text, attempts integer,
  next_attempt_at timestamptz, wanted_version bigint, synced_version bigint)
returns text language sql immutable parallel safe as $$
  select row_to_json(s)::text from (select channel_listing_id, status, iso(last_synced_at) as last_synced_at, error_message,
    attempts, iso(next_attempt_at) as next_attempt_at, wanted_version = synced_version as in_sync,
    wanted_version - synced_version as pending_changes) s
$$;

-- How far the PMS is with one listing: one row each, created with it.
create table listing_syncs (
  channel_listing_id uuid primary key,
  org_id uuid not null,
  unit_id uuid not null,
  channel_target_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed')),
  attempts integer not null default 0,
  last_synced_at timestamptz(3),
  error_message text,
  error_code text,
  next_attempt_at timestamptz(3),              -- set while a failed attempt waits for its next one
  wanted_version bigint not null default 1,    -- grows with every change that concerns the listing
  synced_version bigint not null default 0,    -- the wanted_version that the PMS accepted last
  mode text not null default 'full' check (mode in ('delta', 'full')),
  trigger text not null default 'change' check (trigger in ('manual', 'change', 'schedule', 'webhook', 'reconcile', 'retry')),
  requested_by jsonb not null,                 -- who asked last: {type, id, name}
  traceparent text,                            -- the trace of the request that asked last
  wanted_at timestamptz(3),                    -- when something last changed
  pending_since timestamptz(3),                -- the oldest change not yet pushed
  due_at timestamptz(3) not null default now(),
  job_due_at timestamptz(3),                   -- when the job that waits for it runs; null when none does
  pushed_at timestamptz(3),                    -- when the last attempt began
  claim uuid,                                  -- the attempt that may write a result; a late one has another
  claimed_by uuid,                             -- the job of that attempt
  claimed_until timestamptz(3),
  accepted jsonb,                              -- the values that the PMS took, last known
  changed_at timestamptz(3) not null default now(),
  json text not null generated always as (listing_sync_json(channel_listing_id, status, last_synced_at, error_message,
    attempts, next_attempt_at, wanted_version, synced_version)) stored,
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id) on delete cascade
) with (fillfactor = 70);
create index listing_syncs_by_id on listing_syncs (org_id, channel_listing_id);
create index listing_syncs_of_unit on listing_syncs (org_id, unit_id);
create index listing_syncs_of_target on listing_syncs (org_id, channel_target_id, channel_listing_id);
create index listing_syncs_waiting on listing_syncs (due_at) where status in ('pending', 'in_progress');

-- Every step of every push, for good: nobody may change or remove a row.
create table sync_audit (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  channel_listing_id uuid,                     -- no foreign key: the history outlives the listing
  channel_target_id uuid,
  unit_id uuid,
  job_id uuid,
  action text not null,
  status text,
  mode text,
  trigger text,
  attempt integer,
  max_attempts integer,
  actor jsonb not null,
  changes jsonb not null default '[]',
  request jsonb,
  response jsonb,
  error jsonb,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  next_attempt_at timestamptz(3),
  trace_id text,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index sync_audit_by_creation on sync_audit (org_id, created_at desc, id desc);
create index sync_audit_of_listing on sync_audit (org_id, channel_listing_id, created_at desc, id desc);

alter table channel_targets enable row level security;
alter table channel_targets force row level security;
alter table channel_listings enable row level security;
alter table channel_listings force row level security;
alter table listing_syncs enable row level security;
alter table listing_syncs force row level security;
alter table sync_audit enable row level security;
alter table sync_audit force row level security;
create policy tenant on channel_targets to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on channel_listings to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on listing_syncs to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on sync_audit to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy lookout on listing_syncs for select to vacancy_lookout using (true);
create policy lookout on channel_targets for select to vacancy_lookout using (true);
grant select, insert, update, delete on channel_targets, channel_listings, listing_syncs to vacancy_app;
grant select, insert on sync_audit to vacancy_app;
grant select on listing_syncs, channel_targets to vacancy_lookout;
grant execute on function channel_target_json, channel_listing_json, listing_sync_json to vacancy_app;

-- Listings whose push is overdue although nothing seems to work on it: ids only, across organizations.
create function overdue_syncs(late interval)
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.org_id, s.channel_listing_id from listing_syncs s
  where (s.status = 'pending' and s.due_at < now() - late)
     or (s.status = 'in_progress' and s.claimed_until < now() - late and s.due_at < now())
  order by s.due_at limit 1000
$$;
alter function overdue_syncs owner to vacancy_lookout;

-- Targets whose health has not been looked at for a while.
create function targets_to_check(age interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select t.org_id, t.id from channel_targets t
  where t.status <> 'inactive' and coalesce(t.last_health_check_at, '-infinity') < now() - age
  order by t.last_health_check_at nulls first limit 1000
$$;
alter function targets_to_check owner to vacancy_lookout;
grant execute on function overdue_syncs, targets_to_check to vacancy_app;

-- Tells the API processes of every change of state, for the live stream: organization and the public status.
create function announce_sync() returns trigger language plpgsql as $$
begin
  perform pg_notify('sync', json_build_array(new.org_id, new.json::json)::text);
  return null;
end $$;
create trigger announce_new_sync after insert on listing_syncs for each row execute function announce_sync();
create trigger announce_sync after update on listing_syncs for each row
  when (old.status is distinct from new.status or old.attempts is distinct from new.attempts)
  execute function announce_sync();
