-- What is past its time is deleted in bounded transactions until nothing is left: each function answers how many rows it
-- deleted. The functions without an answer stay for the release before.

create function forget_payment_notices_batch() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from payment_notices where (org_id, notice_id) in (
      select org_id, notice_id from payment_notices
      where received_at < now() - interval '30 days'
      limit 10000)
    returning 1)
  select count(*) from gone
$$;

create function forget_webhooks_batch() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with messages as (
    delete from webhook_messages where id in (
      select id from webhook_messages
      where received_at < now() - interval '30 days'
      order by received_at limit 10000)
    returning 1),
  unrouted as (
    delete from unrouted_webhooks where id in (
      select id from unrouted_webhooks
      where received_at < now() - interval '30 days'
      order by received_at limit 10000)
    returning 1)
  select (select count(*) from messages) + (select count(*) from unrouted)
$$;

create function forget_pms_bookings_batch() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from booking_conflicts where id in (
      select id from booking_conflicts where closed_at < now() - interval '90 days' limit 10000)
    returning 1)
  select count(*) from gone
$$;

-- Rows past their time that are still there, counted up to 10,000 for each table. The terms are those of the functions
-- that delete them.
create function expired_rows(notification_days integer)
returns table (kind text, expired bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select 'idempotency_keys', count(*) from (
    select 1 from idempotency_keys where created_at < now() - interval '24 hours' limit 10000) r
  union all select 'revoked_tokens', count(*) from (
    select 1 from revoked_tokens where expires_at < now() limit 10000) r
  union all select 'quotes', count(*) from (
    select 1 from quotes where expires_at < now() - interval '30 days'
      and booking_id is null and hold_booking_id is null limit 10000) r
  union all select 'webhook_messages', count(*) from (
    select 1 from webhook_messages where received_at < now() - interval '30 days' limit 10000) r
  union all select 'events', count(*) from (
    select 1 from events where occurred_at < now() - interval '90 days' limit 10000) r
  union all select 'notifications', count(*) from (
    select 1 from notifications where created_at < now() - make_interval(days => notification_days) limit 10000) r
  union all select 'payment_notices', count(*) from (
    select 1 from payment_notices where received_at < now() - interval '30 days' limit 10000) r
$$;

alter function forget_payment_notices_batch owner to vacancy_lookout;
alter function forget_webhooks_batch owner to vacancy_lookout;
alter function forget_pms_bookings_batch owner to vacancy_lookout;
alter function expired_rows owner to vacancy_lookout;
grant execute on function forget_payment_notices_batch, forget_webhooks_batch, forget_pms_bookings_batch, expired_rows
  to vacancy_app;
