-- Partitions are planned as other tables are: an organization as a tenth of each (migration 60), whatever the statistics
-- of the month say. Options of columns are not copied with a table.

do $$
declare
  partition regclass;
begin
  for partition in
    select of_table.name
    from partitioned_tables settings
    cross join lateral partitions_of(settings.name::regclass) of_table
  loop
    execute format('alter table %s alter column org_id set (n_distinct = 10)', partition);
  end loop;
end $$;

create or replace function make_partitions()
returns bigint
language plpgsql volatile security definer
set search_path = public, pg_temp
set timezone = 'UTC'
set lock_timeout = '500ms'
as $$
declare
  settings partitioned_tables;
  period interval;
  starts_at timestamptz;
  partition text;
  made bigint := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('partitions', 23)) then
    return 0;
  end if;
  for settings in select * from partitioned_tables order by name loop
    period := ('1 ' || settings.period)::interval;
    select coalesce(max(ends_at), date_trunc(settings.period, now()))
    into starts_at
    from partitions_of(settings.name::regclass);
    while starts_at <= date_trunc(settings.period, now()) + settings.ahead * period loop
      partition := settings.name || to_char(starts_at, '_YYYYMMDD_HH24MI');
      execute format(
        'create table partitions.%I (like %I including defaults including constraints including generated)',
        partition, settings.name
      );
      execute format('alter table partitions.%I enable row level security, force row level security', partition);
      execute format('alter table partitions.%I alter column org_id set (n_distinct = 10)', partition);
      execute format(
        'alter table %I attach partition partitions.%I for values from (%L) to (%L)',
        settings.name, partition, starts_at, starts_at + period
      );
      starts_at := starts_at + period;
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;
