-- An organization that moves to another cell brings all its records, and the cell that it has left deletes all of them. Both
-- are done by the role of imports, which only the command line can take, and for which row-level security holds.

do $$
begin
  create role vacancy_import nologin nosuperuser nobypassrls;
exception when duplicate_object or unique_violation then
  null;
end $$;
grant usage on schema public, queue to vacancy_import;
grant select, insert, update, delete on all tables in schema public to vacancy_import;
grant select, insert, delete on all tables in schema queue to vacancy_import;
revoke all on migrations, revoked_tokens, unrouted_webhooks, secret_ages, organization_moves from vacancy_import;
grant select on migrations to vacancy_import;

-- Also the tables of later migrations.
alter default privileges grant select, insert, update, delete on tables to vacancy_import;
