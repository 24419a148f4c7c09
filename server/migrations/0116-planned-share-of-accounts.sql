-- As migration 60, for the accounts and the channels of an organization: a quarter of it each. By the statistics of many
-- small organizations each has one row, so that any index which begins with it seems as good as the right one, and reading
-- the whole table no worse than an index in the order of the page. A list filtered by a large account then read all its
-- bookings, or all payments of all organizations, each push all listings of a large channel, and each row of a file all
-- spaces of an account. Tables with partitions, which have other indexes, are read right without it.
do $$
declare
  found record;
begin
  for found in
    select class.oid::regclass as name, attribute.attname as of
    from pg_attribute attribute
    join pg_class class on class.oid = attribute.attrelid
    where class.relnamespace = 'public'::regnamespace
      and class.relkind = 'r'
      and not class.relispartition
      and attribute.attname in ('account_id', 'channel_target_id')
    order by 1, 2
  loop
    execute format('alter table %s alter column %I set (n_distinct = 4)', found.name, found.of);
    execute format('analyze %s (%I)', found.name, found.of);
  end loop;
end
$$;
