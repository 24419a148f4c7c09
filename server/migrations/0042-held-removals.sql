-- Nights that an imported calendar suddenly no longer has are kept until a person, or the third equal fetch, says so.

alter table calendar_feeds drop column json;
drop function calendar_feed_json;
create function calendar_feed_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, direction text, name text, status text, last_fetched_at timestamptz,
  error_message text, blocks integer, held jsonb, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(f)::text from (select id, org_id, account_id, unit_id, direction, name, status,
    iso(last_fetched_at) as last_fetched_at, error_message, blocks, held, iso(created_at) as created_at,
    iso(updated_at) as updated_at) f
$$;
grant execute on function calendar_feed_json to vacancy_app;

alter table calendar_feeds
  add column held jsonb,                       -- {nights, date_from, date_to, since, fetches, decision}, as it is shown
  add column held_reading jsonb,               -- {kept, found, until}: nights as they were before, and as they were read
  -- The next calendar that can be read counts as it is: the feed leads elsewhere.
  add column is_replaced boolean not null default false,
  add check ((held is null) = (held_reading is null)),
  add column json text not null generated always as (calendar_feed_json(id, org_id, account_id, unit_id, direction, name,
    status, last_fetched_at, error_message, blocks, held, created_at, updated_at)) stored;
