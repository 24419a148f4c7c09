-- What a stay costs beside its nights, and prices that were given.

create function charge_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, name text, kind text, basis text,
  amount_cents bigint, currency text, percent numeric, applies_to text, included boolean, min_nights integer,
  max_nights integer, charged_nights integer, guests_included integer, status text, created_at timestamptz,
  updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(c)::text from (select id, org_id, account_id, space_id, unit_id, name, kind, basis, amount_cents,
    currency, trim_scale(percent) as percent, applies_to, included, min_nights, max_nights, charged_nights,
    guests_included, status, iso(created_at) as created_at, iso(updated_at) as updated_at) c
$$;

-- A fee, tax, discount or deposit of all units of a space, or of one unit.
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
  currency text not null check (currency ~ '^[a-z]{3}$'), -- always that of the space or unit
  percent numeric(7, 4) check (percent between 0 and 100),
  applies_to text check (applies_to in ('base', 'base_and_fees')), -- what a percentage is of
  included boolean not null default false,     -- a tax that the prices contain already
  min_nights integer check (min_nights between 1 and 999),
  max_nights integer check (max_nights between 1 and 999),
  charged_nights integer check (charged_nights between 1 and 999), -- a charge by the night counts no more than these
  guests_included integer not null default 0 check (guests_included between 0 and 1000), -- in each room, not charged
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (charge_json(id, org_id, account_id, space_id, unit_id, name, kind, basis,
    amount_cents, currency, percent, applies_to, included, min_nights, max_nights, charged_nights, guests_included,
    status, created_at, updated_at)) stored,
  unique (org_id, id),
  check (num_nonnulls(space_id, unit_id) = 1),
  check (case when basis = 'percent' then percent is not null and applies_to is not null and amount_cents is null
    else amount_cents is not null and percent is null and applies_to is null end),
  check (not included or kind = 'tax'),
  check (applies_to is distinct from 'base_and_fees' or kind = 'tax'),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id)
    on update cascade on delete cascade,
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade on delete cascade
);
create index charges_of_space on charges (org_id, space_id, created_at, id) where space_id is not null;
create index charges_of_unit on charges (org_id, unit_id, created_at, id) where unit_id is not null;
create index charges_by_creation on charges (org_id, created_at, id);
create index charges_by_update on charges (org_id, updated_at, id);
create index charges_by_name on charges (org_id, name, id);

create function charges_follow_currency() returns trigger language plpgsql as $$
begin
  update charges set currency = new.currency, version = version + 1, updated_at = now()
  where org_id = new.org_id and case tg_table_name when 'spaces' then space_id else unit_id end = new.id;
  return null;
end $$;
create trigger charges_follow_currency after update on spaces for each row
  when (old.currency is distinct from new.currency) execute function charges_follow_currency();
create trigger charges_follow_currency after update on units for each row
  when (old.currency is distinct from new.currency) execute function charges_follow_currency();

create function quote_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, rate_plan_id uuid, check_in date, check_out date,
  guests integer, rooms integer, currency text, nightly json, line_items json, subtotal_cents bigint,
  discounts_cents bigint, fees_cents bigint, taxes_cents bigint, included_taxes_cents bigint, total_cents bigint,
  deposit_cents bigint, booking_id uuid, hold_booking_id uuid, expires_at timestamptz, created_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(q)::text from (select id, org_id, account_id, unit_id, rate_plan_id, check_in, check_out,
    check_out - check_in as nights, guests, rooms, currency, nightly, line_items, subtotal_cents, discounts_cents,
    fees_cents, taxes_cents, included_taxes_cents, total_cents, deposit_cents, true as available, booking_id,
    case when hold_booking_id is not null
      then json_build_object('booking_id', hold_booking_id, 'expires_at', iso(expires_at)) end as hold,
    iso(expires_at) as expires_at, iso(created_at) as created_at) q
$$;

-- A price that was given for a stay. It never changes: only the booking that takes it is written to it.
create table quotes (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  rate_plan_id uuid,                           -- null when the plan is gone: nobody can book by it any more
  check_in date not null,                      -- the first night, where the unit is
  check_out date not null check (check_out > check_in),
  guests integer not null check (guests >= 1),
  rooms integer not null check (rooms >= 1),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  nightly json not null,                       -- [{date, price_cents}], of one room
  line_items json not null,
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  discounts_cents bigint not null check (discounts_cents between 0 and subtotal_cents),
  fees_cents bigint not null check (fees_cents >= 0),
  taxes_cents bigint not null check (taxes_cents >= 0),
  included_taxes_cents bigint not null check (included_taxes_cents >= 0),
  total_cents bigint not null check (total_cents = subtotal_cents - discounts_cents + fees_cents + taxes_cents),
  deposit_cents bigint not null check (deposit_cents >= 0),
  booking_id uuid,                             -- the booking that took this price
  hold_booking_id uuid,                        -- the pending booking that keeps the rooms free until expires_at
  expires_at timestamptz(3) not null,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  json text not null generated always as (quote_json(id, org_id, account_id, unit_id, rate_plan_id, check_in, check_out,
    guests, rooms, currency, nightly, line_items, subtotal_cents, discounts_cents, fees_cents, taxes_cents,
    included_taxes_cents, total_cents, deposit_cents, booking_id, hold_booking_id, expires_at, created_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade on delete cascade,
  foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id)
    on delete set null (rate_plan_id),
  foreign key (org_id, booking_id) references bookings (org_id, id) on delete set null (booking_id),
  foreign key (org_id, hold_booking_id) references bookings (org_id, id) on delete set null (hold_booking_id)
);
alter table bookings add foreign key (org_id, quote_id) references quotes (org_id, id);
create index quotes_by_creation on quotes (org_id, created_at, id);
create index quotes_of_unit on quotes (org_id, unit_id, created_at, id);
create index quotes_of_plan on quotes (org_id, rate_plan_id) where rate_plan_id is not null;
create index quotes_of_booking on quotes (org_id, booking_id) where booking_id is not null;
create index quotes_of_hold on quotes (org_id, hold_booking_id) where hold_booking_id is not null;
create index quotes_by_expiry on quotes (expires_at) where booking_id is null and hold_booking_id is null;

do $$ declare name text; begin
  foreach name in array array['charges', 'quotes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('grant select, insert, update, delete on %I to vacancy_app', name);
  end loop;
end $$;
grant execute on function charge_json, quote_json, charges_follow_currency to vacancy_app;

-- Quotes that nobody took, a month after they expired; in small steps, across organizations.
create policy lookout on quotes to vacancy_lookout using (true);
grant select, delete on quotes to vacancy_lookout;
create function forget_quotes() returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from quotes where id in (select id from quotes where expires_at < now() - interval '30 days'
      and booking_id is null and hold_booking_id is null order by expires_at limit 10000) returning 1)
  select count(*) from gone
$$;
alter function forget_quotes owner to vacancy_lookout;
grant execute on function forget_quotes to vacancy_app;
