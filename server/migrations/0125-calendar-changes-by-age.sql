-- As in migration 124, for the changes of the calendar; and what counts both.

create index calendar_changes_expiring on calendar_changes ((created_at at time zone 'UTC'));
drop index calendar_changes_by_age;

create or replace function forget_calendar_changes()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    changes as (
      delete from calendar_changes
      where ctid = any(array(
        select ctid
        from calendar_changes
        where created_at at time zone 'UTC' < (now() - interval '90 days') at time zone 'UTC'
        order by created_at at time zone 'UTC'
        limit 500
      ))
      returning org_id, id
    ),
    parts as (
      delete from calendar_change_parts
      where ctid = any(array(
        select part.ctid
        from changes
        cross join lateral (
          select ctid
          from calendar_change_parts
          where org_id = changes.org_id and change_id = changes.id
          offset 0
        ) part
      ))
    )
  select count(*) from changes
$$;

create or replace function expired_rows(notification_days integer)
returns table (kind text, expired bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'revoked_tokens', count(*)
  from (
    select 1
    from revoked_tokens
    where expires_at < now()
    limit 10000
  ) expired
  union all
  select 'quotes', count(*)
  from (
    select 1
    from quotes
    where expires_at < now() - interval '30 days' and booking_id is null and hold_booking_id is null
    limit 10000
  ) expired
  union all
  select 'notifications', count(*)
  from (
    select 1
    from notifications
    where created_at at time zone 'UTC' < (now() - make_interval(days => notification_days)) at time zone 'UTC'
    limit 10000
  ) expired
  union all
  select 'payment_notices', count(*)
  from (
    select 1
    from payment_notices
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
  union all
  select 'calendar_changes', count(*)
  from (
    select 1
    from calendar_changes
    where created_at at time zone 'UTC' < (now() - interval '90 days') at time zone 'UTC'
    limit 10000
  ) expired
$$;
