-- Webhook endpoints: addresses of partners that hear of events, and what became of each telling.

create function webhook_endpoint_json(
  id uuid, org_id uuid, account_id uuid, url text, description text, event_types text[], status text, disabled_reason text,
  last_delivery_at timestamptz, failing_since timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(w)::text from (select id, org_id, account_id, url, description, event_types, status, disabled_reason,
    iso(last_delivery_at) as last_delivery_at, iso(failing_since) as failing_since,
    iso(created_at) as created_at, iso(updated_at) as updated_at) w
$$;

create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,                             -- hears of this account only; null: of the whole organization
  url text not null check (char_length(url) between 1 and 2048),
  description text check (char_length(description) <= 255),
  event_types text[] not null check (cardinality(event_types) between 1 and 50), -- or the one word *
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('gone', 'failing')), -- null when a person did it
  secret bytea not null,                       -- sealed
  previous_secret bytea,                       -- sealed; signs too until previous_until
  previous_until timestamptz(3),
  last_delivery_at timestamptz(3),             -- the last one that was taken, to about a second
  failing_since timestamptz(3),                -- the first failure since then
  held_until timestamptz(3),                   -- it has asked for patience: nothing goes out before
  run uuid,                                    -- who sends to it now; that right lapses
  run_until timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (webhook_endpoint_json(id, org_id, account_id, url, description, event_types,
    status, disabled_reason, last_delivery_at, failing_since, created_at, updated_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
) with (fillfactor = 80);
create index webhook_endpoints_by_creation on webhook_endpoints (org_id, created_at, id);
create index webhook_endpoints_by_update on webhook_endpoints (org_id, updated_at, id);
create index webhook_endpoints_active on webhook_endpoints (org_id) where status = 'active';

alter table events add foreign key (org_id, only_for) references webhook_endpoints (org_id, id) on delete cascade;
create index events_only_for on events (org_id, only_for) where only_for is not null;

create function webhook_delivery_json(
  id uuid, org_id uuid, webhook_endpoint_id uuid, event_id uuid, event_type text, status text, attempts integer,
  replays integer, next_attempt_at timestamptz, last_attempt_at timestamptz, response_status integer, response_body text,
  duration_ms integer, error_message text, delivered_at timestamptz, created_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(d)::text from (select id, org_id, webhook_endpoint_id, event_id, event_type, status, attempts, replays,
    iso(next_attempt_at) as next_attempt_at, iso(last_attempt_at) as last_attempt_at, response_status, response_body,
    duration_ms, error_message, iso(delivered_at) as delivered_at, iso(created_at) as created_at) d
$$;

-- One event for one endpoint, with the last answer. Whoever sends it holds a claim, which lapses.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  webhook_endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  replays integer not null default 0,          -- how often a person had it sent again
  next_attempt_at timestamptz(3),              -- null when it is over
  last_attempt_at timestamptz(3),
  response_status integer,
  response_body text check (char_length(response_body) <= 1024),
  duration_ms integer,
  error_message text check (char_length(error_message) <= 255),
  delivered_at timestamptz(3),
  claim uuid,
  claimed_until timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  json text not null generated always as (webhook_delivery_json(id, org_id, webhook_endpoint_id, event_id, event_type, status,
    attempts, replays, next_attempt_at, last_attempt_at, response_status, response_body, duration_ms, error_message,
    delivered_at, created_at)) stored,
  unique (org_id, id),
  unique (org_id, webhook_endpoint_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  foreign key (org_id, webhook_endpoint_id) references webhook_endpoints (org_id, id) on delete cascade,
  foreign key (org_id, event_id) references events (org_id, id) on delete cascade
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (org_id, webhook_endpoint_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_creation on webhook_deliveries (org_id, created_at, id);
create index webhook_deliveries_of_endpoint on webhook_deliveries (org_id, webhook_endpoint_id, created_at, id);
create index webhook_deliveries_of_event on webhook_deliveries (org_id, event_id);

do $$ declare name text; begin
  foreach name in array array['webhook_endpoints', 'webhook_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('create policy lookout on %I for select to vacancy_lookout using (true)', name);
    execute format('grant select, insert, update, delete on %I to vacancy_app', name);
    execute format('grant select on %I to vacancy_lookout', name);
  end loop;
end $$;
grant execute on function webhook_endpoint_json, webhook_delivery_json to vacancy_app;

-- Endpoints for which something is due that nobody sends: ids only, across organizations.
create function webhook_endpoints_due()
returns table (org_id uuid, webhook_endpoint_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select e.org_id, e.id from webhook_endpoints e
  where e.status = 'active' and (e.held_until is null or e.held_until <= now())
    and (e.run_until is null or e.run_until <= now()) and exists (
    select 1 from webhook_deliveries d where d.org_id = e.org_id and d.webhook_endpoint_id = e.id
      and d.status = 'pending' and d.next_attempt_at <= now() and (d.claimed_until is null or d.claimed_until <= now()))
$$;
alter function webhook_endpoints_due owner to vacancy_lookout;
grant execute on function webhook_endpoints_due to vacancy_app;

alter table alerts drop constraint alerts_kind_check, add constraint alerts_kind_check check (kind in
  ('sync.failed', 'listing.stale', 'target.error', 'drift.found', 'booking.conflict', 'webhook.disabled'));
