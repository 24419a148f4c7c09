-- Lists of a million deliveries by what few of them have: that they failed or wait, or the type of their event.

create index webhook_deliveries_undelivered on webhook_deliveries (org_id, status, created_at, id)
  where status in ('pending', 'failed');

-- Which ranges of pages may have a type.
create index webhook_deliveries_types on webhook_deliveries using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  event_type text_bloom_ops (n_distinct_per_range = 60)
) with (pages_per_range = 64, autosummarize = on);

create function few_deliveries(types text[])
returns uuid[]
language plpgsql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  most constant integer := 300;
  found_ids uuid[] := array(
    select id from webhook_deliveries
    where org_id = current_org() and event_type = any (types)
    limit most + 1
  );
begin
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
comment on function few_deliveries is
  'The ids of the deliveries of events of these types; null when they are many, because a page is then read faster in the '
  'order of the list.';
grant execute on function few_deliveries to vacancy_app;
