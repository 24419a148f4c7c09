-- A prepared statement is planned once for every organization. By the statistics, the average organization of a service
-- with many small ones has a handful of rows; for so few, reading and sorting all of them looks as cheap as the index in
-- the order of the page, and any index on org_id as cheap as the one on the id. For a large organization such a plan
-- reads all of its rows on each call. Each organization is therefore planned as if it had a hundredth of the table.
do $$
declare
  name text;
begin
  for name in
    select table_name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'org_id' and table_type = 'BASE TABLE'
  loop
    execute format('alter table %I alter column org_id set (n_distinct = 100)', name);
  end loop;
end
$$;
