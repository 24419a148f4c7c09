-- Lists of an organization with a million records by what few or none of them have.

-- Which ranges of pages may have a value: pushes of a target, an account or a job without any took 200 ms. An index by the
-- random ids of jobs would cost a push a third of its two entries; this one is a hundredth of the table, and is written once
-- for a range that is full.
create index sync_audit_values on sync_audit using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  account_id uuid_bloom_ops (n_distinct_per_range = 200),
  channel_target_id uuid_bloom_ops (n_distinct_per_range = 500),
  job_id uuid_bloom_ops (n_distinct_per_range = 3000)
) with (pages_per_range = 64, autosummarize = on);

create function few_pushes(named text, given uuid[])
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
    'select array(select id from sync_audit where org_id = current_org() and %I = any ($1) limit $2)',
    named
  ) into found_ids using given, most + 1;
  return case when cardinality(found_ids) <= most then found_ids end;
end $$;
comment on function few_pushes is
  'The ids of the entries with one of these values in the column; null when they are many. All of them are read when few of '
  'a million have one: with fewer of them than this a page is read faster in the order of the list.';
grant execute on function few_pushes to vacancy_app;

create index bookings_of_account on bookings (org_id, account_id, created_at, id) where deleted_at is null;
