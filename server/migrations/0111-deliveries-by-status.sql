-- Lists of a million deliveries by what few of them have: that they failed or wait, or the type of their event.

create index webhook_deliveries_undelivered on webhook_deliveries (org_id, status, created_at, id)
  where status <> 'delivered';

-- Which ranges of pages may have a type.
create index webhook_deliveries_types on webhook_deliveries using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  event_type text_bloom_ops (n_distinct_per_range = 60)
) with (pages_per_range = 64, autosummarize = on);

create function few_records(relation text, named text, given text[])
returns uuid[]
language plpgsql stable
set search_path = public, pg_temp
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  most constant integer := 300;
  found_ids uuid[];
begin
  execute format(
    'select array(select id from %1$I where org_id = current_org() and %2$I = any ($1::%3$s[]) limit $2)',
    relation, named,
    (select atttypid::regtype from pg_attribute where attrelid = relation::regclass and attname = named)
  ) into found_ids using given, most + 1;
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
comment on function few_records is
  'The ids of the records with one of these values in the column, which a BRIN index with Bloom filters has; null when they '
  'are many, because a page is then read faster in the order of the list.';
grant execute on function few_records to vacancy_app;
