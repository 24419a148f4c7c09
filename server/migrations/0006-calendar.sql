-- What is decided for each night, and the calendars that other programs read or provide.

-- Nights of a rate plan ---------------------------------------------------------------------------

create table calendar_nights (
  org_id uuid not null,
  unit_id uuid not null,
  rate_plan_id uuid not null,
  night date not null,
  price_cents bigint check (price_cents between 0 and 2147483647),
  min_stay_arrival integer check (min_stay_arrival between 1 and 999),
  min_stay_through integer check (min_stay_through between 1 and 999),
  max_stay integer check (max_stay between 1 and 999),
  closed_to_arrival boolean,
  closed_to_departure boolean,
  stop_sell boolean,
  primary key (org_id, unit_id, rate_plan_id, night),
  foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id)
    on delete cascade
) with (fillfactor = 80);
comment on table calendar_nights is
  'What is decided for one night of one plan. Null means the default: the base price of the unit, no '
  'restriction.';

alter table calendar_nights enable row level security, force row level security;
create policy tenant on calendar_nights to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on calendar_nights to vacancy_app;


-- Blocked rooms -----------------------------------------------------------------------------------

create table calendar_blocks (
  org_id uuid not null,
  unit_id uuid not null,
  night date not null,
  source text not null default 'operator',
  blocked integer not null check (blocked between 1 and 10000),
  reason text check (char_length(reason) <= 255),
  primary key (org_id, unit_id, night, source),
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete cascade
);
comment on table calendar_blocks is
  'Rooms that are taken out of sale for a night. The number of the operator and that of each imported '
  'calendar have a row each.';
comment on column calendar_blocks.source is 'The word operator, or the id of the calendar feed.';
comment on column calendar_blocks.blocked is 'How many rooms.';

create index calendar_blocks_of_source on calendar_blocks (org_id, source, unit_id, night)
  where source <> 'operator';
create index calendar_blocks_by_night on calendar_blocks (org_id, night, unit_id) include (blocked);

alter table calendar_blocks enable row level security, force row level security;
create policy tenant on calendar_blocks to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on calendar_blocks to vacancy_app;


-- Calendar feeds ----------------------------------------------------------------------------------

create function calendar_feed_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, direction text, name text, status text,
  last_fetched_at timestamptz, error_message text, blocks integer, held jsonb, created_at timestamptz,
  updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, unit_id, direction, name, status, iso(last_fetched_at) as last_fetched_at,
      error_message, blocks, held, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table calendar_feeds (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  direction text not null check (direction in ('export', 'import')),
  name text not null check (char_length(name) between 1 and 255),
  address bytea not null,
  token_hash bytea unique check (octet_length(token_hash) = 32),
  source_unit_id uuid,
  status text not null default 'active' check (status in ('active', 'inactive', 'error')),
  error_message text,
  blocks integer not null default 0,
  last_fetched_at timestamptz(3),
  next_fetch_at timestamptz(3) not null default now(),
  etag text,
  last_modified text,
  read_for text,
  held jsonb,
  held_reading jsonb,
  is_replaced boolean not null default false,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    calendar_feed_json(
      id, org_id, account_id, unit_id, direction, name, status, last_fetched_at, error_message, blocks, held,
      created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  constraint calendar_feeds_of_account unique (org_id, account_id, id),
  check ((direction = 'export') = (token_hash is not null)),
  check ((held is null) = (held_reading is null)),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade
    on delete cascade
);
comment on table calendar_feeds is
  'A calendar of one unit that others read (export) or that is read from others (import). The nights that '
  'an import takes are rows of calendar_blocks.';
comment on column calendar_feeds.address is 'Encrypted: the token of an export, the URL of an import.';
comment on column calendar_feeds.token_hash is
  'Of an export: a request for the calendar is recognized by it.';
comment on column calendar_feeds.source_unit_id is
  'Of an import: our own unit whose export it reads, if it reads one.';
comment on column calendar_feeds.blocks is 'Of an import: how many future nights it takes rooms of.';
comment on column calendar_feeds.last_fetched_at is 'Of an export: when anybody read it last.';
comment on column calendar_feeds.etag is 'The ETag header of the last calendar that was read.';
comment on column calendar_feeds.last_modified is
  'The Last-Modified header of the last calendar that was read.';
comment on column calendar_feeds.read_for is
  'What the meaning of the calendar depended on besides its text: the day, the time zone and the number of '
  'rooms.';
comment on column calendar_feeds.held is
  'Nights that disappeared from the calendar at once and still count until a person, or the third equal '
  'fetch, confirms that. As the API shows it: {nights, date_from, date_to, since, fetches, decision}.';
comment on column calendar_feeds.held_reading is
  '{kept, found, until}: the nights as they were before, and as they were read.';
comment on column calendar_feeds.is_replaced is
  'The address was changed: the next calendar that can be read counts as it is, without `held`.';

create index calendar_feeds_by_creation on calendar_feeds (org_id, created_at, id);
create index calendar_feeds_by_update on calendar_feeds (org_id, updated_at, id);
create index calendar_feeds_by_name on calendar_feeds (org_id, name, id);
create index calendar_feeds_of_unit on calendar_feeds (org_id, unit_id, created_at, id);
create index calendar_feeds_to_fetch on calendar_feeds (next_fetch_at)
  where direction = 'import' and status <> 'inactive';

alter table calendar_feeds enable row level security, force row level security;
create policy tenant on calendar_feeds to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on calendar_feeds for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on calendar_feeds to vacancy_app;
grant select on calendar_feeds to vacancy_lookout;
grant execute on function calendar_feed_json to vacancy_app;

-- Imports whose next fetch is due.
create function calendar_feeds_to_fetch()
returns table (org_id uuid, calendar_feed_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select feed.org_id, feed.id
  from calendar_feeds feed
  where feed.direction = 'import' and feed.status <> 'inactive' and feed.next_fetch_at <= now()
  order by feed.next_fetch_at
  limit 1000
$$;
alter function calendar_feeds_to_fetch owner to vacancy_lookout;
grant execute on function calendar_feeds_to_fetch to vacancy_app;

-- The export of a token. The caller has no organization, only the token.
create function calendar_feed_of_token(hash bytea)
returns table (org_id uuid, calendar_feed_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select feed.org_id, feed.id
  from calendar_feeds feed
  where feed.token_hash = hash and feed.status <> 'inactive'
$$;
alter function calendar_feed_of_token owner to vacancy_lookout;
grant execute on function calendar_feed_of_token to vacancy_app;
