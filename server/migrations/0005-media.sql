-- Photos and documents of spaces and units, and the files behind them.

create function media_json(
  id uuid, org_id uuid, account_id uuid, space_id uuid, unit_id uuid, key text, content_type text,
  size_bytes bigint, width integer, height integer, checksum text, renditions jsonb, "position" integer,
  description text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, space_id as property_id, unit_id, '/media/' || key as url, content_type,
      size_bytes, width, height, checksum, renditions, "position", description, iso(created_at) as created_at,
      iso(updated_at) as updated_at
  ) record
$$;

create table media (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  space_id uuid not null,
  unit_id uuid,
  "position" integer not null check ("position" >= 0),
  description text check (char_length(description) <= 1000),
  key text not null,
  content_type text not null,
  size_bytes bigint not null check (size_bytes > 0),
  width integer check (width > 0),
  height integer check (height > 0),
  checksum text not null check (checksum ~ '^sha256:[0-9a-f]{64}$'),
  renditions jsonb not null default '[]' check (jsonb_typeof(renditions) = 'array'),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  json text not null generated always as (
    media_json(
      id, org_id, account_id, space_id, unit_id, key, content_type, size_bytes, width, height, checksum,
      renditions, "position", description, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  foreign key (org_id, account_id, space_id) references spaces (org_id, account_id, id)
    on update cascade
    on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete cascade
);
comment on table media is 'One photo or document of a space or of one of its units.';
comment on column media.unit_id is 'Null when it belongs to the space itself.';
comment on column media."position" is 'Its place among the media of the same space or unit.';
comment on column media.key is 'The name of the file in the storage.';
comment on column media.width is 'Null when the file is not a picture.';
comment on column media.checksum is 'Of the file as it is stored.';

create index media_of_space on media (org_id, space_id, "position", id);
create index media_of_unit on media (org_id, unit_id, "position", id) where unit_id is not null;
create index media_by_creation on media (org_id, created_at, id);
create index media_by_update on media (org_id, updated_at, id);

alter table media enable row level security, force row level security;
create policy tenant on media to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on media to vacancy_app;
grant execute on function media_json to vacancy_app;

create table media_files (
  org_id uuid not null references organizations (id),
  key text not null,
  media_id uuid,
  size_bytes bigint not null check (size_bytes > 0),
  kept_until timestamptz(3) not null default now() + interval '1 hour',
  primary key (org_id, key),
  foreign key (org_id, media_id) references media (org_id, id)
    on delete set null (media_id)
);
comment on table media_files is
  'Every file in the storage, recorded before it is written, so that files without a record can be found '
  'and deleted.';
comment on column media_files.media_id is
  'The record that needs the file; null when there is none yet or any more.';
comment on column media_files.kept_until is 'A file that no record needs is deleted after this time.';

create index media_files_of_media on media_files (org_id, media_id) where media_id is not null;
create index media_files_left on media_files (kept_until) where media_id is null;

alter table media_files enable row level security, force row level security;
create policy tenant on media_files to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on media_files for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on media_files to vacancy_app;
grant select on media_files to vacancy_lookout;

-- Organizations with files that no record needs any more.
create function organizations_with_left_files()
returns table (org_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select distinct file.org_id
  from media_files file
  where file.media_id is null and file.kept_until < now()
  limit 1000
$$;
alter function organizations_with_left_files owner to vacancy_lookout;
grant execute on function organizations_with_left_files to vacancy_app;
