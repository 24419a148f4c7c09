-- Exports of everything of an organization, which its owners request and download.

create table exports (
  org_id uuid not null references organizations (id),
  id uuid not null default gen_random_uuid(),
  status text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed')),
  stage text not null default 'records' check (stage in ('records', 'media', 'file')),
  done bigint not null default 0,
  total bigint not null default 0,
  attempts integer not null default 0,
  size_bytes bigint,
  checksum text,
  missing_files integer not null default 0,
  error_code text check (error_code in ('storage_unavailable', 'interrupted', 'internal')),
  finished_at timestamptz(3),
  expires_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
comment on table exports is 'Exports of an organization; a job writes the file, another deletes it with its row.';
comment on column exports.done is 'Of `total`: tables, media files or bytes, as the stage says.';
comment on column exports.attempts is 'Each attempt writes a file of its own, so that a late one does not overwrite another.';
comment on column exports.checksum is 'The SHA-256 of the manifest, which has those of the files.';
comment on column exports.missing_files is 'Media files that the storage did not have.';
comment on column exports.error_code is 'Of the last attempt.';

create unique index exports_open on exports (org_id) where status in ('pending', 'running');
create index exports_by_creation on exports (org_id, created_at, id);
create index exports_by_update on exports (org_id, updated_at, id);

alter table exports enable row level security, force row level security;
create policy tenant on exports to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on exports to vacancy_app;

-- A worker writes the name of the last one into the manifest of an export.
grant select on migrations to vacancy_app;
