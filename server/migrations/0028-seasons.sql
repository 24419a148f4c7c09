-- Named sets of values for the calendar, applied to units when wanted.

create function season_json(
  id uuid, org_id uuid, name text, season_values jsonb, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, name, season_values as values, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table seasons (
  org_id uuid not null,
  id uuid not null default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  season_values jsonb not null,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    season_json(id, org_id, name, season_values, created_at, updated_at)
  ) stored,
  primary key (org_id, id)
);
comment on table seasons is 'Named sets of values for the calendar.';
comment on column seasons.season_values is 'As the API shows them: values of a calendar change without a unit.';

create index seasons_by_creation on seasons (org_id, created_at, id);
create index seasons_by_update on seasons (org_id, updated_at, id);
create index seasons_by_name on seasons (org_id, name, id);

alter table seasons enable row level security, force row level security;
create policy tenant on seasons to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on seasons to vacancy_app;
grant execute on function season_json to vacancy_app;

alter table calendar_changes add column season_id uuid;
comment on column calendar_changes.season_id is 'The season that was applied.';
