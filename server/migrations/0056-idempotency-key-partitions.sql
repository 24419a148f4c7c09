-- Responses for repeated requests are partitioned by day. That a key has one effect is promised by the lock that a request
-- takes on it before it looks for a response of the last 24 hours: an older row with the same key is never read again.

alter table idempotency_keys
  drop constraint idempotency_keys_pkey,
  drop constraint idempotency_keys_org_id_fkey;
drop index idempotency_keys_by_age;

select put_aside('idempotency_keys');
create table idempotency_keys (
  like partitions.idempotency_keys_first including defaults including constraints including comments,
  primary key (org_id, operation, key, created_at)
) partition by range (created_at);
comment on table idempotency_keys is
  'Responses to requests with an Idempotency-Key, for repeated requests. A row is written in the '
  'transaction of the request.';

alter table idempotency_keys enable row level security, force row level security;
create policy tenant on idempotency_keys to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
-- The API changes a response only to erase the data of a guest.
grant select, insert, update (body), delete on idempotency_keys to vacancy_app;

insert into partitioned_tables (name, period, ahead, kept_for) values ('idempotency_keys', 'day', 8, '24 hours');
select attach_first_partition('idempotency_keys');

-- Deletes signed-out tokens that have expired, in steps of 10,000; returns how many.
create or replace function forget_expired()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with tokens as (
    delete from revoked_tokens
    where ctid = any(array(
      select ctid
      from revoked_tokens
      where expires_at < now()
      limit 10000
    ))
    returning 1
  )
  select count(*)
  from tokens
$$;

-- How many rows are past their time and still there, counted up to 10,000 for each table. The periods are
-- those of the functions that delete them.
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
  select 'webhook_messages', count(*)
  from (
    select 1
    from webhook_messages
    where received_at < now() - interval '30 days'
    limit 10000
  ) expired
  union all
  select 'notifications', count(*)
  from (
    select 1
    from notifications
    where created_at < now() - make_interval(days => notification_days)
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
    where created_at < now() - interval '90 days'
    limit 10000
  ) expired
$$;
