-- What is rented: spaces and the units inside them.

-- Spaces ------------------------------------------------------------------------------------------

create function space_json(
  id uuid, org_id uuid, account_id uuid, name text, address text, city text, state text, zip text,
  country text, amenities jsonb, description text, status text, timezone text, currency text,
  created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, name, address, city, state, zip, country, amenities, description, status,
      timezone, currency, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table spaces (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text,
  address text,
  city text,
  state text,
  zip text,
  country text check (country ~ '^[A-Z]{2}$'),
  amenities jsonb not null default '[]' check (jsonb_typeof(amenities) = 'array'),
  timezone text not null,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null default 'active' check (status in ('draft', 'active', 'inactive', 'archived')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3) check (deleted_at is null or status = 'archived'),
  name_key text collate "C" not null generated always as (lower(name)) stored,
  city_key text collate "C" generated always as (lower(city)) stored,
  state_key text collate "C" generated always as (lower(state)) stored,
  country_key text collate "C" generated always as (lower(country)) stored,
  json text not null generated always as (
    space_json(
      id, org_id, account_id, name, address, city, state, zip, country, amenities, description, status,
      timezone, currency, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
comment on table spaces is 'A property at one address.';
comment on column spaces.timezone is 'IANA name. Nights are local dates of this time zone.';
comment on column spaces.deleted_at is
  'Set when the space was deleted while past bookings or quotes still name it. The API does not show it any '
  'more.';
comment on column spaces.name_key is
  'The name as the availability search compares it: in lower case, byte by byte. Likewise the other keys.';

create index spaces_by_creation on spaces (org_id, created_at, id);
create index spaces_by_update on spaces (org_id, updated_at, id);
create index spaces_by_name on spaces (org_id, name, id);
create index spaces_named on spaces (org_id, name_key);
create index spaces_of_city on spaces (org_id, city_key);
create index spaces_of_state on spaces (org_id, state_key);
create index spaces_of_country on spaces (org_id, country_key);

alter table spaces enable row level security, force row level security;
create policy tenant on spaces to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on spaces to vacancy_app;
grant execute on function space_json to vacancy_app;


-- Units -------------------------------------------------------------------------------------------

create function unit_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, name text, type text, bedrooms integer,
  bathrooms numeric, max_guests integer, quantity integer, base_price_cents bigint, min_price_cents bigint,
  currency text, status text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, space_id, name, type, bedrooms, trim_scale(bathrooms) as bathrooms, max_guests,
      quantity, base_price_cents, min_price_cents, base_price_cents = 0 as free_of_charge, currency, status,
      iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

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
  quantity integer not null default 1 check (quantity >= 1),
  base_price_cents bigint not null check (base_price_cents between 0 and 2147483647),
  min_price_cents bigint,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null default 'active' check (status in ('active', 'inactive', 'maintenance', 'archived')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3) check (deleted_at is null or status = 'archived'),
  json text not null generated always as (
    unit_json(
      id, org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, quantity,
      base_price_cents, min_price_cents, currency, status, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  unique (org_id, account_id, id),
  constraint units_base_price_reaches_minimum check (min_price_cents between 0 and base_price_cents),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id)
    on update cascade
);
comment on table units is 'What a guest books: a room, an apartment or a house inside a space.';
comment on column units.quantity is 'How many equal rooms the unit stands for.';
comment on column units.base_price_cents is 'Of one room and night; 0 means free of charge.';
comment on column units.min_price_cents is
  'The least that one room and night may cost after discounts; null means no minimum.';
comment on column units.deleted_at is
  'Set when the unit was deleted while past bookings or quotes still name it. The API does not show it any '
  'more.';

create index units_by_creation on units (org_id, created_at, id);
create index units_by_update on units (org_id, updated_at, id);
create index units_by_name on units (org_id, name, id);
create index units_of_space on units (org_id, space_id, created_at, id);

alter table units enable row level security, force row level security;
create policy tenant on units to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on units to vacancy_app;
grant execute on function unit_json to vacancy_app;
