-- Photos and documents of spaces and units, and the files behind them.

create function media_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, key text, content_type text, size_bytes bigint,
  width integer, height integer, checksum text, renditions jsonb, "position" integer, description text,
  created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(m)::text from (select id, org_id, account_id, space_id as property_id, unit_id,
    '/media/' || key as url, content_type, size_bytes, width, height, checksum, renditions, "position", description,
    iso(created_at) as created_at, iso(updated_at) as updated_at) m
$$;

-- One photo or document of a space, or of one of its units.
create table media (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  space_id uuid not null,
  unit_id uuid,                                -- null: of the space itself
  key text not null,                           -- where the file lies in the storage
  content_type text not null,
  size_bytes bigint not null check (size_bytes > 0),
  width integer check (width > 0),             -- null: no picture
  height integer check (height > 0),
  checksum text not null check (checksum ~ '^sha256:[0-9a-f]{64}$'), -- of the file as it is stored
  renditions jsonb not null default '[]' check (jsonb_typeof(renditions) = 'array'),
  "position" integer not null check ("position" >= 0), -- among those of the same space or unit
  description text check (char_length(description) <= 1000),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (media_json(id, org_id, account_id, space_id, unit_id, key, content_type,
    size_bytes, width, height, checksum, renditions, "position", description, created_at, updated_at)) stored,
  unique (org_id, id),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id)
    on update cascade on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id) on delete cascade
);
create index media_of_space on media (org_id, space_id, "position", id);
create index media_of_unit on media (org_id, unit_id, "position", id) where unit_id is not null;
create index media_by_creation on media (org_id, created_at, id);
create index media_by_update on media (org_id, updated_at, id);

-- Files in the storage, noted before they are written: what no record keeps when its time is over, is removed.
create table media_files (
  org_id uuid not null references organizations (id),
  key text not null,
  media_id uuid,                               -- null: not kept yet, or no longer
  size_bytes bigint not null check (size_bytes > 0),
  kept_until timestamptz(3) not null default now() + interval '1 hour', -- as long as no record keeps it
  primary key (org_id, key),
  foreign key (org_id, media_id) references media (org_id, id) on delete set null (media_id)
);
create index media_files_of_media on media_files (org_id, media_id) where media_id is not null;
create index media_files_left on media_files (kept_until) where media_id is null;

-- Photos of a unit go with it to another space.
create function media_follow_unit() returns trigger language plpgsql as $$
begin
  update media set space_id = new.space_id, account_id = new.account_id, version = version + 1, updated_at = now()
  where org_id = new.org_id and unit_id = new.id and (space_id <> new.space_id or account_id <> new.account_id);
  return null;
end $$;
create trigger media_follow_unit after update on units for each row
  when (old.space_id is distinct from new.space_id) execute function media_follow_unit();

do $$ declare name text; begin
  foreach name in array array['media', 'media_files'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('grant select, insert, update, delete on %I to vacancy_app', name);
  end loop;
end $$;
create policy lookout on media_files for select to vacancy_lookout using (true);
grant select on media_files to vacancy_lookout;

-- Who has files that no record keeps: ids only, across organizations.
create function organizations_with_left_files()
returns table (org_id uuid) language sql stable security definer set search_path = public, pg_temp as $$
  select distinct f.org_id from media_files f where f.media_id is null and f.kept_until < now() limit 1000
$$;
alter function organizations_with_left_files owner to vacancy_lookout;
grant execute on function media_json, media_follow_unit, organizations_with_left_files to vacancy_app;
