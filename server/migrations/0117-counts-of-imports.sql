-- Each page of imports counted all their items, up to 100,000 of each.
alter table imports
  add column counts json,
  add column counted_version integer;
comment on column imports.counts is
  'The numbers of its items as the API returns them, kept when it is planned or completed.';
comment on column imports.counted_version is
  'The version with these numbers. In others, and in imports from before, the items are counted.';
