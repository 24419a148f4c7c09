-- Events are partitioned by month, and their deliveries with them. While the previous release still runs, its jobs that
-- make deliveries fail; they are tried again.

-- Foreign keys of a partitioned table lock the tables that they name whenever a partition is made or dropped. Those of
-- events protected nothing: organizations and accounts are never deleted, and an event is written in their scope.
alter table webhook_deliveries drop constraint webhook_deliveries_org_id_event_id_fkey;
alter table events
  drop constraint events_org_id_fkey,
  drop constraint events_org_id_account_id_fkey,
  drop constraint events_org_id_only_for_fkey,
  drop constraint events_pkey;
drop index events_by_age, events_only_for;

-- PostgreSQL 15 and 16 have no identity columns in partitions.
do $$
declare
  next_position bigint;
begin
  next_position := nextval(pg_get_serial_sequence('events', 'position'));
  alter table events alter column position drop identity;
  execute format('create sequence event_positions start %s', next_position);
end $$;
alter table events alter column position set default nextval('event_positions');
grant usage on sequence event_positions to vacancy_app;

select put_aside('events');
create table events (
  like partitions.events_first including defaults including constraints including comments,
  primary key (org_id, id, occurred_at)
) partition by range (occurred_at);
comment on table events is
  'What happened, in order. An event is written in the transaction of the change itself; webhook deliveries '
  'and notifications are made from it.';
alter sequence event_positions owned by events.position;

create index events_in_order on events (org_id, transaction_id, position);
create index events_by_time on events (org_id, occurred_at, id);

alter table events enable row level security, force row level security;
create policy tenant on events to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on events to vacancy_lookout
  using (true);
grant select, insert, update (data) on events to vacancy_app;
grant select, update (transaction_id) on events to vacancy_lookout;

insert into partitioned_tables (name, period, ahead, kept_for) values ('events', 'month', 2, '90 days');
select attach_first_partition('events');

-- In a server that was restored from a dump, transactions are numbered from the beginning again. An event
-- whose transaction seems to lie in the future there is older than all that follow, and gets the number 0.
create function number_restored_events()
returns void
language sql volatile security definer
set search_path = public, pg_temp
as $$
  update events event
  set transaction_id = '0'
  from organizations organization
  where event.org_id = organization.id
    and event.transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
$$;
alter function number_restored_events owner to vacancy_lookout;
grant execute on function number_restored_events to vacancy_app;

-- The previous release calls it. A ctid names a row of one partition only, so its statement would delete others.
create or replace function forget_events()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  select 0::bigint
$$;

-- A delivery is in the partition of the time of its event: so an endpoint gets an event once, which no key across
-- partitions could promise, and both are dropped together.
alter table webhook_deliveries
  no force row level security,
  add column event_occurred_at timestamptz(3) not null default now();
alter table partitions.events_first no force row level security;
update webhook_deliveries delivery
set event_occurred_at = event.occurred_at
from partitions.events_first event
where event.org_id = delivery.org_id and event.id = delivery.event_id;
alter table webhook_deliveries force row level security;
alter table partitions.events_first force row level security;

alter table webhook_deliveries
  drop constraint webhook_deliveries_pkey,
  drop constraint webhook_deliveries_org_id_id_key,
  drop constraint webhook_deliveries_org_id_webhook_endpoint_id_event_id_key;

select put_aside('webhook_deliveries');
create table webhook_deliveries (
  like partitions.webhook_deliveries_first
    including defaults including constraints including generated including comments,
  primary key (org_id, id, event_occurred_at),
  unique (org_id, webhook_endpoint_id, event_id, event_occurred_at),
  foreign key (org_id, webhook_endpoint_id) references webhook_endpoints (org_id, id)
    on delete cascade
) partition by range (event_occurred_at);
comment on table webhook_deliveries is 'One event for one endpoint, with the last response.';
comment on column webhook_deliveries.event_occurred_at is 'That of the event, with which it is dropped.';

create index webhook_deliveries_due on webhook_deliveries (org_id, webhook_endpoint_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_by_creation on webhook_deliveries (org_id, created_at, id);
create index webhook_deliveries_of_endpoint
  on webhook_deliveries (org_id, webhook_endpoint_id, created_at, id);
create index webhook_deliveries_of_event on webhook_deliveries (org_id, event_id);

alter table webhook_deliveries enable row level security, force row level security;
create policy tenant on webhook_deliveries to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on webhook_deliveries for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on webhook_deliveries to vacancy_app;
grant select on webhook_deliveries to vacancy_lookout;

insert into partitioned_tables (name, period, ahead, kept_for) values ('webhook_deliveries', 'month', 2, '90 days');
select attach_first_partition('webhook_deliveries');

-- How many rows are past their time and still there, counted up to 10,000 for each table. The periods are
-- those of the functions that delete them.
create or replace function expired_rows(notification_days integer)
returns table (kind text, expired bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select 'idempotency_keys', count(*)
  from (
    select 1
    from idempotency_keys
    where created_at < now() - interval '24 hours'
    limit 10000
  ) expired
  union all
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
