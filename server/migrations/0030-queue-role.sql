-- The role that workers use for the queue: it may do what the library does with its own tables, and nothing else.
-- Until now a worker worked the queue as the owner of the database.
do $$ begin
  create role vacancy_queue nologin nosuperuser nobypassrls;
exception when duplicate_object or unique_violation then null;
end $$;

-- Whoever could act as vacancy_app until now runs API and workers.
do $$ declare login text; begin
  for login in
    select pg_get_userbyid(member) from pg_auth_members where roleid = 'vacancy_app'::regrole
    union select current_user
  loop
    execute format('grant vacancy_queue to %I', login);
  end loop;
end $$;
