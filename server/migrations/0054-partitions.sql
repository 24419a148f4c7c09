-- Tables that grow with everything that happens are partitioned by time: a partition past its time is dropped, which
-- neither reads nor writes its rows (docs/decisions/0023-retention.md).

-- Nobody but the owner may use this schema: partitions are reached through their tables, whose policies hold.
create schema partitions;

create table partitioned_tables (
  name text primary key,
  period text not null check (period in ('minute', 'hour', 'day', 'week', 'month', 'year')),
  ahead integer not null check (ahead > 0),
  kept_for interval
);
comment on table partitioned_tables is
  'How tables are partitioned, and for how long partitions are kept. Only the owner of the database changes it.';
comment on column partitioned_tables.period is 'The length of a partition.';
comment on column partitioned_tables.ahead is
  'Partitions that exist beyond the current one: a row that no partition takes is refused.';
comment on column partitioned_tables.kept_for is 'Counted from the end of a partition. Null: for good.';
grant select on partitioned_tables to vacancy_app;

create function partitions_of(the_table regclass)
returns table (name regclass, ends_at timestamptz)
language sql stable
set search_path = public, pg_temp
as $$
  select
    partition.oid::regclass,
    substring(pg_get_expr(partition.relpartbound, partition.oid) from $bound$ TO \('(.*)'\)$bound$)::timestamptz
  from pg_inherits inheritance
  join pg_class partition on partition.oid = inheritance.inhrelid
  where inheritance.inhparent = the_table
$$;
grant execute on function partitions_of to vacancy_app;

-- Makes the partitions that are missing; returns how many. Workers may call it, as the owner of the tables, because it
-- takes nothing from them. Attaching blocks neither readers nor writers of the table, creating in place would. A
-- partition has no grants and no policies of its own, so nobody reads it but through its table.
create function make_partitions()
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
grant execute on function make_partitions to vacancy_app;

-- Drops one partition that is past its time, and returns 1; 0 when there is none. Those of deliveries go before those of
-- events, whose data they send. Dropping locks the table for a
-- moment; while a long transaction reads it, the partition stays until a later call.
create function drop_partition()
returns bigint
language plpgsql volatile security definer
set search_path = public, pg_temp
set timezone = 'UTC'
set lock_timeout = '500ms'
as $$
declare
  expired record;
begin
  for expired in
    select partition.name
    from partitioned_tables settings
    cross join lateral partitions_of(settings.name::regclass) partition
    where partition.ends_at <= now() - settings.kept_for
    order by partition.ends_at, settings.name desc
  loop
    begin
      execute format('drop table %s', expired.name);
      return 1;
    exception when lock_not_available or undefined_table then
      null;
    end;
  end loop;
  return 0;
end $$;
grant execute on function drop_partition to vacancy_app;

-- For how many days each table has partitions, and how many of them are past their time.
create function partition_states()
returns table (name text, days_ahead double precision, expired bigint)
language sql stable
set search_path = public, pg_temp
set timezone = 'UTC'
as $$
  select
    settings.name,
    extract(epoch from max(partition.ends_at) - now())::double precision / 86400,
    count(*) filter (where partition.ends_at <= now() - settings.kept_for)
  from partitioned_tables settings
  cross join lateral partitions_of(settings.name::regclass) partition
  group by settings.name
$$;
grant execute on function partition_states to vacancy_app;

-- For migrations: puts a table aside, so that a partitioned one can take its name, and later becomes its first partition.
-- It keeps its rows and indexes where they are.
create function put_aside(the_table text)
returns void
language plpgsql volatile
set search_path = public, pg_temp
as $$
declare
  old text := the_table || '_first';
  one text;
begin
  execute format('alter table %I rename to %I', the_table, old);
  execute format('alter table %I set schema partitions', old);
  for one in
    select indexrelid::regclass::text
    from pg_index
    where indrelid = format('partitions.%I', old)::regclass
  loop
    execute format('alter index %s rename to %I', one, split_part(one, '.', 2) || '_first');
  end loop;
  for one in
    select polname
    from pg_policy
    where polrelid = format('partitions.%I', old)::regclass
  loop
    execute format('drop policy %I on partitions.%I', one, old);
  end loop;
  execute format('revoke all on partitions.%I from vacancy_app, vacancy_lookout', old);
end $$;

-- For migrations: makes the table that was put aside the first partition, until the end of the period. Its rows are read
-- once, and indexes that it does not have are built. Rows of a clock that is a day ahead still fit.
create function attach_first_partition(the_table text)
returns void
language plpgsql volatile
set search_path = public, pg_temp
set timezone = 'UTC'
as $$
declare
  settings partitioned_tables;
begin
  select * into strict settings from partitioned_tables where name = the_table;
  execute format(
    'alter table %I attach partition partitions.%I for values from (minvalue) to (%L)',
    the_table, the_table || '_first',
    date_trunc(settings.period, now() + interval '1 day') + ('1 ' || settings.period)::interval
  );
  perform make_partitions();
end $$;
