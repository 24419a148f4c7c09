-- Each page of imports counted all their items, up to 100,000 of each.

alter table imports
  add column counts json,
  add column counted_version integer;
comment on column imports.counts is
  'The numbers of its items as the API returns them, kept when it is planned or completed.';
comment on column imports.counted_version is 'The version with these numbers. In others, the items are counted.';

update imports import
set counted_version = version,
  counts = (
    select coalesce(json_agg(part order by part.kind, part.action), '[]')
    from (
      select item.kind, item.action, count(*)::int as total, count(item.done_at)::int as done
      from import_items item
      where item.org_id = import.org_id
        and item.import_id = import.id
      group by item.kind, item.action) part)
where status = 'completed';
