-- Calendars that travel: what other programs may read of a unit, and what is read of theirs.

create function calendar_feed_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, direction text, name text, status text, last_fetched_at timestamptz,
  error_message text, blocks integer, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(f)::text from (select id, org_id, account_id, unit_id, direction, name, status,
    iso(last_fetched_at) as last_fetched_at, error_message, blocks, iso(created_at) as created_at,
    iso(updated_at) as updated_at) f
$$;

-- One calendar of one unit, going out or coming in. Its blocks stand in calendar_blocks under its id.
create table calendar_feeds (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  direction text not null check (direction in ('export', 'import')),
  name text not null check (char_length(name) between 1 and 255),
  address bytea not null,                      -- sealed: the token of an export, the URL of an import
  token_hash bytea unique check (octet_length(token_hash) = 32), -- of an export: how its address is recognized
  source_unit_id uuid,                         -- of an import: the unit of ours whose export it reads
  status text not null default 'active' check (status in ('active', 'inactive', 'error')),
  last_fetched_at timestamptz(3),              -- of an export, by anybody
  error_message text,
  blocks integer not null default 0,           -- nights to come that an import takes rooms of
  next_fetch_at timestamptz(3) not null default now(),
  etag text,                                   -- of the calendar that was read last
  last_modified text,
  read_for text,                               -- what its meaning depended on besides: day, zone and rooms
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (calendar_feed_json(id, org_id, account_id, unit_id, direction, name, status,
    last_fetched_at, error_message, blocks, created_at, updated_at)) stored,
  unique (org_id, id),
  check ((direction = 'export') = (token_hash is not null)),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id) on update cascade on delete cascade
);
create index calendar_feeds_by_creation on calendar_feeds (org_id, created_at, id);
create index calendar_feeds_by_update on calendar_feeds (org_id, updated_at, id);
create index calendar_feeds_by_name on calendar_feeds (org_id, name, id);
create index calendar_feeds_of_unit on calendar_feeds (org_id, unit_id, created_at, id);
create index calendar_feeds_to_fetch on calendar_feeds (next_fetch_at) where direction = 'import' and status <> 'inactive';

alter table calendar_feeds enable row level security;
alter table calendar_feeds force row level security;
create policy tenant on calendar_feeds to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy lookout on calendar_feeds for select to vacancy_lookout using (true);
grant select, insert, update, delete on calendar_feeds to vacancy_app;
grant select on calendar_feeds to vacancy_lookout;
grant execute on function calendar_feed_json to vacancy_app;

-- Imports that are to be fetched: ids only, across organizations.
create function calendar_feeds_to_fetch()
returns table (org_id uuid, calendar_feed_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select f.org_id, f.id from calendar_feeds f
  where f.direction = 'import' and f.status <> 'inactive' and f.next_fetch_at <= now()
  order by f.next_fetch_at limit 1000
$$;
alter function calendar_feeds_to_fetch owner to vacancy_lookout;

-- Which export an address stands for: whoever asks has no organization, only the secret.
create function calendar_feed_of_token(hash bytea)
returns table (org_id uuid, calendar_feed_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select f.org_id, f.id from calendar_feeds f where f.token_hash = hash and f.status <> 'inactive'
$$;
alter function calendar_feed_of_token owner to vacancy_lookout;
grant execute on function calendar_feeds_to_fetch, calendar_feed_of_token to vacancy_app;

-- Nights of a unit on which nobody can book it, whatever the reason, from the first to the last.
create function nights_not_available(the_org uuid, the_unit uuid, first_night date, last_night date)
returns table (night date) language sql stable as $$
  select d::date from units u
    join spaces s on s.org_id = u.org_id and s.id = u.space_id
    cross join generate_series(first_night, last_night, interval '1 day') d
    left join nights_taken(the_org, array[the_unit], first_night, last_night) t on t.night = d::date
    left join (
      select n.night, count(*) as plans from calendar_nights n
        join rate_plans p on p.org_id = n.org_id and p.id = n.rate_plan_id and p.status = 'active'
      where n.org_id = the_org and n.unit_id = the_unit and n.night between first_night and last_night and n.stop_sell
      group by n.night) c on c.night = d::date
  where u.org_id = the_org and u.id = the_unit
    and (u.status <> 'active' or s.status <> 'active'
      or coalesce(t.booked, 0) + coalesce(t.blocked, 0) >= u.quantity
      or coalesce(c.plans, 0) >= (select count(*) from rate_plans p
        where p.org_id = the_org and p.unit_id = the_unit and p.status = 'active')
      or exists (select 1 from sales_stops x where x.org_id = the_org and x.lifted_at is null
        and x.channel_target_id is null
        and (x.space_id is null or x.space_id = u.space_id) and (x.unit_id is null or x.unit_id = u.id)))
$$;
grant execute on function nights_not_available to vacancy_app;
