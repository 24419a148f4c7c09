-- A hundredth of a table (migration 44) is too little for an installation with one organization. Of 20,000 units it is
-- 200: a lookup of ten ids then seems dearer than a scan of any index on org_id. And of 40 listings it is less than one
-- row, so that all indexes on org_id seem equal, and the calendar read every listing for each listing of each unit. A
-- tenth is still little enough that other organizations are not read, and the pages of lists keep the order of an index.
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
    execute format('alter table %I alter column org_id set (n_distinct = 10)', name);
  end loop;
end
$$;
