-- What is rented: spaces and the units inside them.

create function space_json(
  id uuid, org_id uuid, account_id uuid, name text, address text, city text, state text, zip text, country text,
  amenities jsonb, description text, status text, timezone text, currency text, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(s)::text from (select id, org_id, account_id, name, address, city, state, zip, country, amenities,
    description, status, timezone, currency, iso(created_at) as created_at, iso(updated_at) as updated_at) s
$$;

-- A property at one address.
create table spaces (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  address text, city text, state text, zip text,
  country text check (country ~ '^[A-Z]{2}$'),
  amenities jsonb not null default '[]' check (jsonb_typeof(amenities) = 'array'),
  description text,
  status text not null default 'active' check (status in ('draft', 'active', 'inactive', 'archived')),
  timezone text not null,                     -- IANA; nights are local dates of this zone
  currency text not null check (currency ~ '^[a-z]{3}$'),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (space_json(id, org_id, account_id, name, address, city, state, zip, country,
    amenities, description, status, timezone, currency, created_at, updated_at)) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
create index spaces_by_creation on spaces (org_id, created_at, id);
create index spaces_by_update on spaces (org_id, updated_at, id);
create index spaces_by_name on spaces (org_id, name, id);

create function unit_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, name text, type text, bedrooms integer, bathrooms numeric,
  max_guests integer, quantity integer, base_price_cents bigint, currency text, status text,
  created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(u)::text from (select id, org_id, account_id, space_id, name, type, bedrooms,
    trim_scale(bathrooms) as bathrooms, max_guests, quantity, base_price_cents, currency, status,
    iso(created_at) as created_at, iso(updated_at) as updated_at) u
$$;

-- What a guest books: a room, an apartment, a house inside a space.
create table units (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  space_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  type text not null,
  bedrooms integer not null check (bedrooms >= 0),
  bathrooms numeric(6, 1) not null check (bathrooms >= 0),
  max_guests integer not null check (max_guests >= 1),
  quantity integer not null default 1 check (quantity >= 1), -- equal rooms behind this unit
  base_price_cents bigint not null check (base_price_cents between 0 and 2147483647),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null default 'active' check (status in ('active', 'inactive', 'maintenance', 'archived')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (unit_json(id, org_id, account_id, space_id, name, type, bedrooms, bathrooms,
    max_guests, quantity, base_price_cents, currency, status, created_at, updated_at)) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id) on update cascade
);
create index units_by_creation on units (org_id, created_at, id);
create index units_by_update on units (org_id, updated_at, id);
create index units_by_name on units (org_id, name, id);
create index units_of_space on units (org_id, space_id, created_at, id);

-- A stay. Nights are a half-open range of local dates of the space.
create table bookings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  guest_name text not null check (char_length(guest_name) between 1 and 255),
  guest_email text,
  guest_phone text,
  guests integer not null default 1 check (guests >= 1),
  rooms integer not null default 1 check (rooms >= 1),
  nights daterange not null check (not isempty(nights) and lower_inc(nights) and not upper_inc(nights)),
  check_in timestamptz(3) not null,
  check_out timestamptz(3) not null check (check_out > check_in),
  total_cents bigint not null check (total_cents >= 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null default 'confirmed'
    check (status in ('pending', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'declined', 'expired', 'no_show')),
  source text not null default 'direct' check (source in ('direct', 'pms', 'api', 'manual')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (org_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id) on update cascade
);
create index bookings_of_unit on bookings (org_id, unit_id, check_in);
create index bookings_by_check_in on bookings (org_id, check_in, id);

alter table spaces enable row level security;
alter table spaces force row level security;
alter table units enable row level security;
alter table units force row level security;
alter table bookings enable row level security;
alter table bookings force row level security;
create policy tenant on spaces to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on units to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy tenant on bookings to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, update, delete on spaces, units, bookings to vacancy_app;
grant execute on function space_json, unit_json to vacancy_app;
