-- Retention finds old notifications by an index that no list can use. An index on created_at alone looks cheap to a
-- list, as the rows lie in the order of their times: it then reads the newer notifications of all other organizations.

create index notifications_expiring on notifications ((created_at at time zone 'UTC'));
drop index notifications_by_age;

create or replace function forget_notifications(days integer)
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from notifications
    where id in (
      select id
      from notifications
      where created_at at time zone 'UTC' < (now() - make_interval(days => days)) at time zone 'UTC'
      order by created_at at time zone 'UTC'
      limit 5000
    )
    returning 1
  )
  select count(*)
  from deleted
$$;
