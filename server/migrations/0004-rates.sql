-- How units are sold: rate plans, and extra charges.

-- Rate plans --------------------------------------------------------------------------------------

create function rate_plan_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, name text, currency text, meal_plan text,
  is_default boolean, status text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, unit_id, name, currency, meal_plan, is_default, status,
      iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table rate_plans (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  meal_plan text not null default 'none'
    check (meal_plan in ('none', 'breakfast', 'half_board', 'full_board', 'all_inclusive')),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  is_default boolean not null default false,
  status text not null default 'active' check (status in ('active', 'inactive', 'archived')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    rate_plan_json(
      id, org_id, account_id, unit_id, name, currency, meal_plan, is_default, status, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  unique (org_id, unit_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade
    on delete cascade
);
comment on table rate_plans is
  'One way to sell a unit, with prices and restrictions of its own for each night.';
comment on column rate_plans.currency is
  'Always the currency of the unit.';
comment on column rate_plans.is_default is
  'Every unit has exactly one default plan, created with it.';

create unique index rate_plans_one_default on rate_plans (org_id, unit_id) where is_default;
create unique index rate_plans_by_unit_and_name on rate_plans (org_id, unit_id, lower(name));
create index rate_plans_by_creation on rate_plans (org_id, created_at, id);
create index rate_plans_by_update on rate_plans (org_id, updated_at, id);
create index rate_plans_by_name on rate_plans (org_id, name, id);

alter table rate_plans enable row level security, force row level security;
create policy tenant on rate_plans to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on rate_plans to vacancy_app;
grant execute on function rate_plan_json to vacancy_app;


-- Charges -----------------------------------------------------------------------------------------

create function charge_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, name text, kind text, basis text,
  amount_cents bigint, currency text, percent numeric, applies_to text, included boolean, min_nights integer,
  max_nights integer, charged_nights integer, guests_included integer, status text, created_at timestamptz,
  updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, space_id, unit_id, name, kind, basis, amount_cents, currency,
      trim_scale(percent) as percent, applies_to, included, min_nights, max_nights, charged_nights,
      guests_included, status, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table charges (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  space_id uuid,
  unit_id uuid,
  name text not null check (char_length(name) between 1 and 255),
  kind text not null check (kind in ('fee', 'tax', 'discount', 'deposit')),
  basis text not null
    check (basis in ('stay', 'night', 'room', 'room_night', 'guest', 'guest_night', 'percent')),
  amount_cents bigint check (amount_cents between 0 and 2147483647),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  percent numeric(7, 4) check (percent between 0 and 100),
  applies_to text check (applies_to in ('base', 'base_and_fees')),
  included boolean not null default false,
  min_nights integer check (min_nights between 1 and 999),
  max_nights integer check (max_nights between 1 and 999),
  charged_nights integer check (charged_nights between 1 and 999),
  guests_included integer not null default 0 check (guests_included between 0 and 1000),
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    charge_json(
      id, org_id, account_id, space_id, unit_id, name, kind, basis, amount_cents, currency, percent,
      applies_to, included, min_nights, max_nights, charged_nights, guests_included, status, created_at,
      updated_at
    )
  ) stored,
  unique (org_id, id),
  check (num_nonnulls(space_id, unit_id) = 1),
  check (
    case
      when basis = 'percent' then percent is not null and applies_to is not null and amount_cents is null
      else amount_cents is not null and percent is null and applies_to is null
    end
  ),
  check (not included or kind = 'tax'),
  check (applies_to is distinct from 'base_and_fees' or kind = 'tax'),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id)
    on update cascade
    on delete cascade,
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade
    on delete cascade
);
comment on table charges is 'A fee, tax, discount or deposit of one unit, or of all units of a space.';
comment on column charges.currency is 'Always that of the space or unit.';
comment on column charges.applies_to is 'What a percentage is of.';
comment on column charges.included is 'True for a tax that the prices contain already.';
comment on column charges.charged_nights is 'A charge for each night counts at most so many nights.';
comment on column charges.guests_included is 'So many guests of each room are not charged.';

create index charges_of_space on charges (org_id, space_id, created_at, id) where space_id is not null;
create index charges_of_unit on charges (org_id, unit_id, created_at, id) where unit_id is not null;
create index charges_by_creation on charges (org_id, created_at, id);
create index charges_by_update on charges (org_id, updated_at, id);
create index charges_by_name on charges (org_id, name, id);

alter table charges enable row level security, force row level security;
create policy tenant on charges to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on charges to vacancy_app;
grant execute on function charge_json to vacancy_app;
