-- As in migration 117.
alter table file_imports
  add column counts json,
  add column counted_version integer;
comment on column file_imports.counts is
  'The numbers of its rows as the API returns them, kept while no job changes the rows.';
comment on column file_imports.counted_version is 'The version with these numbers. In others, the rows are counted.';
