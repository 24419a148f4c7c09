-- Rows past their time are deleted where the index on their age finds them. Joined by their keys, the batch could be
-- compared with every row of the table, for each batch of a table of millions.

create or replace function forget_expired()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    keys as (
      delete from idempotency_keys
      where ctid = any(array(
        select ctid
        from idempotency_keys
        where created_at < now() - interval '24 hours'
        limit 10000
      ))
      returning 1
    ),
    tokens as (
      delete from revoked_tokens
      where ctid = any(array(
        select ctid
        from revoked_tokens
        where expires_at < now()
        limit 10000
      ))
      returning 1
    )
  select (select count(*) from keys) + (select count(*) from tokens)
$$;

create or replace function forget_webhooks_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    messages as (
      delete from webhook_messages
      where ctid = any(array(
        select ctid
        from webhook_messages
        where received_at < now() - interval '30 days'
        order by received_at
        limit 10000
      ))
      returning 1
    ),
    unrouted as (
      delete from unrouted_webhooks
      where ctid = any(array(
        select ctid
        from unrouted_webhooks
        where received_at < now() - interval '30 days'
        order by received_at
        limit 10000
      ))
      returning 1
    )
  select (select count(*) from messages) + (select count(*) from unrouted)
$$;

create or replace function forget_payment_notices_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from payment_notices
    where ctid = any(array(
      select ctid
      from payment_notices
      where received_at < now() - interval '30 days'
      limit 10000
    ))
    returning 1
  )
  select count(*)
  from deleted
$$;

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
        where created_at < now() - interval '90 days'
        order by created_at
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
