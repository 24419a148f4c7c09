-- Where inventory is sent: connections to a PMS, the units that are offered through them, and stops of all

-- Channel targets ---------------------------------------------------------------------------------

create function channel_target_json(
  id uuid, org_id uuid, account_id uuid, channel_type text, name text, config jsonb, status text,
  error_message text, last_health_check_at timestamptz, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, channel_type, name, config, status, error_message,
      iso(last_health_check_at) as last_health_check_at, iso(created_at) as created_at,
      iso(updated_at) as updated_at
  ) record
$$;

-- What the rate limit of a PMS counts by: the property or account there, whichever target calls it. Targets
-- of an organization that lead to the same place share one budget.
create function budget_key(config jsonb, target uuid)
returns text
language sql immutable parallel safe
return coalesce(config ->> 'provider', 'generic')
  || ' ' || lower(rtrim(coalesce(config ->> 'base_url', ''), '/'))
  || ' ' || coalesce(config #>> '{credentials,account_id}', config ->> 'property_ref', target::text);

create table channel_targets (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  channel_type text not null check (channel_type = 'pms'),
  name text not null check (char_length(name) between 1 and 255),
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  credentials bytea,
  credentials_set_at timestamptz,
  budget_key text not null generated always as (budget_key(config, id)) stored,
  status text not null default 'pending' check (status in ('pending', 'active', 'error', 'inactive')),
  error_message text,
  last_health_check_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    channel_target_json(
      id, org_id, account_id, channel_type, name, config, status, error_message, last_health_check_at,
      created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
comment on table channel_targets is 'A connection to one property at a PMS.';
comment on column channel_targets.config is 'How the PMS is called. Credentials in it are masked.';
comment on column channel_targets.credentials is 'Encrypted with AES-256-GCM; they never leave the server.';
comment on column channel_targets.budget_key is 'The row of call_budgets that calls of this target count in.';

create index channel_targets_by_creation on channel_targets (org_id, created_at, id);
create index channel_targets_by_update on channel_targets (org_id, updated_at, id);
create index channel_targets_by_name on channel_targets (org_id, name, id);
create index channel_targets_of_budget on channel_targets (org_id, budget_key);
create index channel_targets_of_property on channel_targets ((config ->> 'property_ref'))
  where config ? 'property_ref';

alter table channel_targets enable row level security, force row level security;
create policy tenant on channel_targets to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on channel_targets for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on channel_targets to vacancy_app;
grant select on channel_targets to vacancy_lookout;
grant execute on function channel_target_json, budget_key to vacancy_app;

-- Targets whose last health check is older than `age`.
create function targets_to_check(age interval)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select target.org_id, target.id
  from channel_targets target
  where target.status <> 'inactive'
    and coalesce(target.last_health_check_at, '-infinity') < now() - age
  order by target.last_health_check_at nulls first
  limit 1000
$$;
alter function targets_to_check owner to vacancy_lookout;
grant execute on function targets_to_check to vacancy_app;


-- Channel listings --------------------------------------------------------------------------------

create function channel_listing_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, channel_target_id uuid, external_id text,
  rate_plans jsonb, status text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, unit_id, channel_target_id, external_id, rate_plans, status,
      iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table channel_listings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  channel_target_id uuid not null,
  external_id text check (char_length(external_id) between 1 and 255),
  rate_plans jsonb not null default '[]' check (jsonb_typeof(rate_plans) = 'array'),
  status text not null default 'pending' check (status in ('pending', 'active', 'error', 'paused')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    channel_listing_json(
      id, org_id, account_id, unit_id, channel_target_id, external_id, rate_plans, status, created_at,
      updated_at
    )
  ) stored,
  unique (org_id, id),
  constraint listing_once_per_target unique (org_id, unit_id, channel_target_id),
  constraint external_id_once_per_target unique (org_id, channel_target_id, external_id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade,
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade
);
comment on table channel_listings is
  'One unit offered through one target. When it was synced last, and what went wrong, is a matter of '
  'listing_syncs.';
comment on column channel_listings.external_id is
  'What the PMS calls the unit. Null until the PMS has created it.';
comment on column channel_listings.rate_plans is
  'What the PMS calls its rate plans: [{rate_plan_id, external_id}].';

create index channel_listings_by_creation on channel_listings (org_id, created_at, id);
create index channel_listings_by_update on channel_listings (org_id, updated_at, id);
create index channel_listings_by_status on channel_listings (org_id, status, id);
create index channel_listings_of_target on channel_listings (org_id, channel_target_id, created_at, id);
create index channel_listings_of_external_id on channel_listings (external_id);
create index channel_listings_of_plans on channel_listings using gin (rate_plans jsonb_path_ops);

alter table channel_listings enable row level security, force row level security;
create policy tenant on channel_listings to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on channel_listings for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on channel_listings to vacancy_app;
grant select on channel_listings to vacancy_lookout;
grant execute on function channel_listing_json to vacancy_app;


-- Sales stops -------------------------------------------------------------------------------------

create function sales_stop_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, channel_target_id uuid, reason text,
  stopped_by jsonb, lifted_at timestamptz, created_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, space_id, unit_id, channel_target_id, reason, stopped_by,
      iso(lifted_at) as lifted_at, iso(created_at) as created_at
  ) record
$$;

create table sales_stops (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,
  space_id uuid,
  unit_id uuid,
  channel_target_id uuid,
  reason text check (char_length(reason) <= 255),
  stopped_by jsonb not null,
  lifted_by jsonb,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  lifted_at timestamptz(3),
  json text not null generated always as (
    sales_stop_json(
      id, org_id, account_id, space_id, unit_id, channel_target_id, reason, stopped_by, lifted_at, created_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, space_id) references spaces (org_id, id)
    on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete cascade,
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete cascade
);
comment on table sales_stops is
  'Sales that were stopped at once, until the stop is lifted; the calendar is not changed. A null reference '
  'means all: without any, everything of the organization is stopped.';
comment on column sales_stops.stopped_by is 'The person or service: {type, id, name}. Likewise lifted_by.';

create index sales_stops_in_force on sales_stops (org_id) where lifted_at is null;
create index sales_stops_by_creation on sales_stops (org_id, created_at, id);

alter table sales_stops enable row level security, force row level security;
create policy tenant on sales_stops to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on sales_stops to vacancy_app;
grant execute on function sales_stop_json to vacancy_app;
