-- Imports of a portfolio from a PMS: what each one makes, and how far it is.

create table imports (
  org_id uuid not null,
  id uuid not null default gen_random_uuid(),
  channel_target_id uuid not null,
  include text[] not null,
  status text not null default 'planning' check (
    status in ('planning', 'planned', 'running', 'completed', 'failed', 'cancelled')
  ),
  stage text not null default 'plan' check (stage in ('plan', 'units', 'bookings', 'blocks', 'photos')),
  cursor text,
  failures integer not null default 0,
  error_message text,
  bookings_imported integer not null default 0,
  actor jsonb not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id) on delete cascade
);
comment on table imports is 'Imports of the portfolio of a PMS: units, prices, links, bookings and photos.';
comment on column imports.stage is 'What the job does next; it stays where it was when an import fails or is cancelled.';
comment on column imports.cursor is 'Of the stages plan and bookings: the page of the PMS to read next; null for the first.';
comment on column imports.failures is 'Calls of the PMS in a row that failed.';

create unique index imports_open on imports (org_id, channel_target_id)
  where status in ('planning', 'planned', 'running');
create index imports_by_creation on imports (org_id, created_at, id);
create index imports_by_update on imports (org_id, updated_at, id);
create index imports_of_target on imports (org_id, channel_target_id);

create table import_items (
  org_id uuid not null,
  id uuid not null default gen_random_uuid(),
  import_id uuid not null,
  kind text not null check (kind in ('space', 'unit', 'rate_plan', 'photo')),
  external_id text not null,
  parent_id text,
  "position" integer not null,
  name text not null,
  action text not null check (action in ('create', 'match', 'skip')),
  reason text,
  record_id uuid,
  content jsonb,
  tries integer not null default 0,
  done_at timestamptz(3),
  primary key (org_id, id),
  unique (org_id, import_id, kind, external_id),
  foreign key (org_id, import_id) references imports (org_id, id) on delete cascade
);
comment on table import_items is 'What an import makes, matches with an existing record, or skips.';
comment on column import_items.external_id is 'At the PMS; of a photo, the id of its owner and its number.';
comment on column import_items.parent_id is
  'The external id of the unit of a rate plan or photo, or of the space of a unit or photo.';
comment on column import_items.record_id is 'The record here that was made or matched.';
comment on column import_items.content is 'What was read at the PMS; emptied when it is no longer needed.';

create index import_items_in_order on import_items (org_id, import_id, "position", id);
create index import_items_to_do on import_items (org_id, import_id, kind, "position") where done_at is null;

alter table imports enable row level security, force row level security;
create policy tenant on imports to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
alter table import_items enable row level security, force row level security;
create policy tenant on import_items to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on imports, import_items to vacancy_app;

alter table media add column source_url text;
comment on column media.source_url is
  'The address at a PMS that it was imported from. Such a photo is not pushed, because the PMS has it.';
