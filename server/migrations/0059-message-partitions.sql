-- Messages of PMSs are partitioned by week. A message that arrives again is found by the lock that its sender's id takes
-- before the table is searched (pms-messages/queries.ts), since a key across partitions cannot exist without the time.

alter table webhook_messages
  drop constraint webhook_messages_pkey,
  drop constraint webhook_messages_org_id_id_key,
  drop constraint webhook_messages_org_id_fkey,
  drop constraint webhook_message_once;
drop index webhook_messages_by_age;

select put_aside('webhook_messages');
create table webhook_messages (
  like partitions.webhook_messages_first
    including defaults including constraints including generated including comments,
  primary key (org_id, id, received_at),
  -- The previous release names it when it stores a message.
  constraint webhook_message_once unique (org_id, channel_target_id, source, message_id, received_at),
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade
    on delete cascade
) partition by range (received_at);
comment on table webhook_messages is
  'One message of a PMS to one target. It is stored before the PMS gets its answer, and processed by a job.';

create index webhook_messages_by_receipt on webhook_messages (org_id, received_at, id);
create index webhook_messages_of_target on webhook_messages (org_id, channel_target_id, received_at, id);
create index webhook_messages_by_status on webhook_messages (org_id, status, received_at, id);
create index webhook_messages_by_kind on webhook_messages (org_id, kind, received_at, id);

alter table webhook_messages enable row level security, force row level security;
create policy tenant on webhook_messages to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on webhook_messages to vacancy_app;

insert into partitioned_tables (name, period, ahead, kept_for) values ('webhook_messages', 'week', 2, '30 days');
select attach_first_partition('webhook_messages');
alter table partitions.webhook_messages_first alter column org_id set (n_distinct = 10);

-- Deletes messages of no target after a month, in steps of 10,000; returns how many.
create or replace function forget_webhooks_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with unrouted as (
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
  select count(*)
  from unrouted
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
