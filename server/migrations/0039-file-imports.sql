-- Imports of units, rates and bookings from files: their rows, and what each one makes.

create table file_imports (
  org_id uuid not null,
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  kind text not null check (kind in ('units', 'rates', 'bookings')),
  format text not null check (format in ('csv', 'json')),
  file_name text,
  columns text[] not null,
  mapping jsonb not null,
  date_order text not null default 'dmy' check (date_order in ('dmy', 'mdy')),
  row_count integer not null,
  planned_to integer not null default 0,
  status text not null default 'planning' check (
    status in ('planning', 'planned', 'running', 'completed', 'failed', 'cancelled')
  ),
  error_message text,
  actor jsonb not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
comment on table file_imports is 'Imports of units, rates and bookings from CSV and JSON files.';
comment on column file_imports.columns is 'The names in the header, unique, in the order of the file.';
comment on column file_imports.mapping is 'The column of each field.';
comment on column file_imports.planned_to is 'The position of the last row that is planned.';

create index file_imports_by_creation on file_imports (org_id, created_at, id);
create index file_imports_by_update on file_imports (org_id, updated_at, id);
create index file_imports_of_account on file_imports (org_id, account_id);

create table file_import_rows (
  org_id uuid not null,
  id uuid not null default gen_random_uuid(),
  import_id uuid not null,
  "position" integer not null,
  cells jsonb,
  key text,
  action text check (action in ('create', 'update', 'match', 'skip', 'error')),
  errors jsonb not null default '[]',
  record_id uuid,
  done_at timestamptz(3),
  primary key (org_id, import_id, "position"),
  foreign key (org_id, import_id) references file_imports (org_id, id) on delete cascade
);
comment on table file_import_rows is 'The rows of an imported file, and what the import makes of each.';
comment on column file_import_rows."position" is 'The number of the row in the file; the header of a CSV file is row 1.';
comment on column file_import_rows.cells is 'The texts by column; emptied when the row is done.';
comment on column file_import_rows.key is 'What the row is about: a second row with the same key is refused.';
comment on column file_import_rows.record_id is 'The record here that was made or matched; of rates, their unit.';

create index file_import_rows_to_do on file_import_rows (org_id, import_id, record_id, "position")
  where done_at is null;
create index file_import_rows_of_record on file_import_rows (org_id, record_id) where record_id is not null;

create table unit_references (
  org_id uuid not null,
  reference text not null check (char_length(reference) between 1 and 255),
  unit_id uuid not null,
  primary key (org_id, reference),
  foreign key (org_id, unit_id) references units (org_id, id) on delete cascade
);
comment on table unit_references is 'The ids of units in the system that they were imported from.';
create index unit_references_of_unit on unit_references (org_id, unit_id);

alter table file_imports enable row level security, force row level security;
create policy tenant on file_imports to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
alter table file_import_rows enable row level security, force row level security;
create policy tenant on file_import_rows to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
alter table unit_references enable row level security, force row level security;
create policy tenant on unit_references to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on file_imports, file_import_rows, unit_references to vacancy_app;

create policy lookout on file_imports to vacancy_lookout using (true);
grant select, delete on file_imports to vacancy_lookout;

-- Deletes imports 30 days after their last change, with what their rows say of guests; returns how many.
create function forget_file_imports()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    imports as (
      delete from file_imports
      where (org_id, id) in (
        select org_id, id
        from file_imports
        where updated_at < now() - interval '30 days'
        limit 10
      )
      returning id
    )
  select count(*) from imports
$$;
alter function forget_file_imports owner to vacancy_lookout;
grant execute on function forget_file_imports to vacancy_app;
