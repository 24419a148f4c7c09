-- The inventory calendar: rate plans, and what is decided night by night.

create function rate_plan_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, name text, currency text, meal_plan text, is_default boolean,
  status text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(p)::text from (select id, org_id, account_id, unit_id, name, currency, meal_plan, is_default, status,
    iso(created_at) as created_at, iso(updated_at) as updated_at) p
$$;

-- One way to sell a unit: its own prices and terms, night by night.
create table rate_plans (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  currency text not null check (currency ~ '^[a-z]{3}$'), -- always that of the unit
  meal_plan text not null default 'none'
    check (meal_plan in ('none', 'breakfast', 'half_board', 'full_board', 'all_inclusive')),
  is_default boolean not null default false,   -- exactly one for each unit
  status text not null default 'active' check (status in ('active', 'inactive', 'archived')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (rate_plan_json(id, org_id, account_id, unit_id, name, currency, meal_plan,
    is_default, status, created_at, updated_at)) stored,
  unique (org_id, id),
  unique (org_id, unit_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id) on update cascade on delete cascade
);
create unique index rate_plans_one_default on rate_plans (org_id, unit_id) where is_default;
create unique index rate_plans_by_unit_and_name on rate_plans (org_id, unit_id, lower(name));
create index rate_plans_by_creation on rate_plans (org_id, created_at, id);
create index rate_plans_by_update on rate_plans (org_id, updated_at, id);
create index rate_plans_by_name on rate_plans (org_id, name, id);

-- Every unit has its default plan from the moment it exists, and its plans sell in its currency.
create function add_default_plan() returns trigger language plpgsql as $$
begin
  insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default, created_at, updated_at)
  values (new.org_id, new.account_id, new.id, 'Standard', new.currency, true, new.created_at, new.created_at);
  return null;
end $$;
create trigger add_default_plan after insert on units for each row execute function add_default_plan();
create function follow_currency() returns trigger language plpgsql as $$
begin
  update rate_plans set currency = new.currency, version = version + 1, updated_at = now()
  where org_id = new.org_id and unit_id = new.id;
  return null;
end $$;
create trigger follow_currency after update on units for each row
  when (old.currency is distinct from new.currency) execute function follow_currency();

-- What is decided for one night of one plan. Null is the plan's default: the unit's base price, no minimum, no limit.
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
  foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id) on delete cascade
) with (fillfactor = 80);

-- Rooms taken out of sale for a night. The operator's own number and each imported calendar stand side by side.
create table calendar_blocks (
  org_id uuid not null,
  unit_id uuid not null,
  night date not null,
  source text not null default 'operator',     -- operator, or the id of an imported calendar
  blocked integer not null check (blocked between 1 and 10000),
  reason text check (char_length(reason) <= 255),
  primary key (org_id, unit_id, night, source),
  foreign key (org_id, unit_id) references units (org_id, id) on delete cascade
);
create index calendar_blocks_of_source on calendar_blocks (org_id, source, unit_id, night) where source <> 'operator';

-- Sales stopped at once, and taken up again by lifting it: the calendar itself is not touched. A null reference
-- means all: with none given, everything of the organization is stopped.
create function sales_stop_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, channel_target_id uuid, reason text,
  stopped_by jsonb, lifted_at timestamptz, created_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(s)::text from (select id, org_id, account_id, space_id, unit_id, channel_target_id, reason, stopped_by,
    iso(lifted_at) as lifted_at, iso(created_at) as created_at) s
$$;
create table sales_stops (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid,
  space_id uuid,
  unit_id uuid,
  channel_target_id uuid,
  reason text check (char_length(reason) <= 255),
  stopped_by jsonb not null,                   -- {type, id, name}
  lifted_at timestamptz(3),
  lifted_by jsonb,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  json text not null generated always as (sales_stop_json(id, org_id, account_id, space_id, unit_id, channel_target_id,
    reason, stopped_by, lifted_at, created_at)) stored,
  unique (org_id, id),
  foreign key (org_id, space_id) references spaces (org_id, id) on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id) on delete cascade,
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id) on delete cascade
);
create index sales_stops_in_force on sales_stops (org_id) where lifted_at is null;
create index sales_stops_by_creation on sales_stops (org_id, created_at, id);

-- Stays that take a room, by when they leave: what is over is never read.
create index bookings_of_unit_by_departure on bookings (org_id, unit_id, upper(nights))
  where status in ('pending', 'confirmed', 'checked_in', 'checked_out');

-- What is taken of some units, night by night from the first to the last; nights with nothing taken are left out.
-- The one source of availability: nothing is counted ahead, so nothing can be wrong.
create function nights_taken(the_org uuid, the_units uuid[], first_night date, last_night date)
returns table (unit_id uuid, night date, booked integer, blocked integer) language sql stable as $$
  select t.unit_id, t.night, sum(t.booked)::int, sum(t.blocked)::int from (
    -- Days are counted, not stepped through in hours: no clock change of any zone can lose one.
    select b.unit_id, first_night + n as night, b.rooms as booked, 0 as blocked
    from bookings b, generate_series(greatest(lower(b.nights), first_night) - first_night,
      least(upper(b.nights) - 1, last_night) - first_night) n
    where b.org_id = the_org and b.unit_id = any(the_units)
      and b.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
      and upper(b.nights) > first_night and lower(b.nights) <= last_night
    union all
    select c.unit_id, c.night, 0, c.blocked from calendar_blocks c
    where c.org_id = the_org and c.unit_id = any(the_units) and c.night between first_night and last_night) t
  group by t.unit_id, t.night
$$;

-- Units that are there already. Their owner, too, is held by the policies, and sees them only without.
alter table units no force row level security;
insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default, created_at, updated_at)
  select org_id, account_id, id, 'Standard', currency, true, created_at, created_at from units;
alter table units force row level security;

do $$ declare name text; begin
  foreach name in array array['rate_plans', 'calendar_nights', 'calendar_blocks', 'sales_stops'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('grant select, insert, update, delete on %I to vacancy_app', name);
  end loop;
end $$;
grant execute on function rate_plan_json, sales_stop_json, nights_taken, add_default_plan, follow_currency to vacancy_app;
