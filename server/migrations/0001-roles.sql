-- The roles that the database knows, and the functions that every table uses.

-- Roles belong to the server: another of its databases may have created them already. None of them logs in.
--   vacancy_app      requests and jobs run as this role; row-level security holds for it
--   vacancy_queue    workers use the tables of the queue as this role (server/src/queue grants them)
--   vacancy_lookout  owns the few functions that read across organizations; they return ids, roles and counts
do $$
declare
  role_name text;
begin
  foreach role_name in array array['vacancy_app', 'vacancy_queue', 'vacancy_lookout'] loop
    begin
      execute format('create role %I nologin nosuperuser nobypassrls', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end $$;
grant vacancy_app, vacancy_queue, vacancy_lookout to current_user;

-- The owner of a function needs `create` on its schema. vacancy_lookout cannot log in to use it.
grant usage, create on schema public to vacancy_lookout;
grant usage on schema public to vacancy_app;

-- A function can be called only by the roles that are granted it below.
alter default privileges revoke execute on functions from public;

-- The organization that the transaction acts for. It is null when none is set, and then no row is visible.
create function current_org()
returns uuid
language sql stable parallel safe
return nullif(current_setting('app.org_id', true), '')::uuid;
grant execute on function current_org to vacancy_app, vacancy_lookout;

-- A timestamp in the format of the API: UTC, milliseconds, Z.
create function iso(moment timestamptz)
returns text
language sql immutable parallel safe
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
grant execute on function iso to vacancy_app;
