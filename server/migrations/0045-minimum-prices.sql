-- The least that a unit is sold for, and whether it is meant to cost nothing.

alter table units drop column json;
drop function unit_json(uuid, uuid, uuid, uuid, text, text, integer, numeric, integer, integer, bigint, text, text,
  timestamptz, timestamptz);
alter table units
  add column min_price_cents bigint,           -- for one room and night, after discounts; null: no minimum
  add constraint units_base_price_reaches_minimum check (min_price_cents between 0 and base_price_cents);
create function unit_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, name text, type text, bedrooms integer, bathrooms numeric,
  max_guests integer, quantity integer, base_price_cents bigint, min_price_cents bigint, currency text, status text,
  created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(u)::text from (select id, org_id, account_id, space_id, name, type, bedrooms,
    trim_scale(bathrooms) as bathrooms, max_guests, quantity, base_price_cents, min_price_cents,
    base_price_cents = 0 as free_of_charge, currency, status,
    iso(created_at) as created_at, iso(updated_at) as updated_at) u
$$;
alter table units add column json text not null generated always as (unit_json(id, org_id, account_id, space_id, name,
  type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, min_price_cents, currency, status, created_at,
  updated_at)) stored;
grant execute on function unit_json to vacancy_app;
