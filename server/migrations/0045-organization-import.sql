-- Importing the export of an organization from another installation (`vacancy import export`).

-- The import writes records as they were: who created them, and when, stands in the audit that comes with them, and
-- bookings that did not fit there do not fit here. It has a role of its own, so that only the command line, and neither
-- the API nor a worker, can write without these triggers. Row-level security holds for it as for vacancy_app.
do $$
begin
  create role vacancy_import nologin nosuperuser nobypassrls;
exception when duplicate_object or unique_violation then
  null;
end $$;
grant vacancy_app to vacancy_import;
grant vacancy_import to current_user;

grant insert on organizations, accounts, members to vacancy_import;
grant insert on audit_entries to vacancy_import;

do $$
declare
  audited record;
begin
  for audited in
    select
      tgrelid::regclass as name,
      replace(
        pg_get_triggerdef(oid), ' FOR EACH ROW ', ' FOR EACH ROW WHEN (current_user <> ''vacancy_import'') '
      ) as definition
    from pg_trigger
    where tgname = 'audited'
  loop
    execute format('drop trigger audited on %s', audited.name);
    execute audited.definition;
  end loop;
end $$;

drop trigger bookings_fit_rooms on bookings;
create constraint trigger bookings_fit_rooms
  after insert on bookings
  for each row
  when (
    new.deleted_at is null
    and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    and current_user <> 'vacancy_import'
  )
  execute function guard_rooms();
