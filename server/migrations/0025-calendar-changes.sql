-- What each change of the calendar replaced, so that it can be read and reverted.

create table calendar_changes (
  org_id uuid not null,
  id uuid not null,
  account_id uuid,
  unit_id uuid,
  unit_count integer not null,
  value_count integer not null,
  nights integer not null,
  nights_changed integer not null,
  listings integer not null,
  members text[] not null,
  date_from date not null,
  date_to date not null,
  reverts_id uuid,
  reverted_by_id uuid,
  nights_left jsonb not null default '[]',
  actor jsonb not null,
  created_at timestamptz(3) not null,
  primary key (org_id, id)
);
comment on table calendar_changes is
  'The changes of the calendar of the last 90 days. The history of who decided what is kept for good in '
  'sync_audit, under the same id. There are no foreign keys: a change outlives its units.';
comment on column calendar_changes.unit_id is 'The unit, of a change of one unit only.';
comment on column calendar_changes.nights is 'Nights that were named: of plans, and of units for blocks.';
comment on column calendar_changes.nights_changed is 'Those of them that had another value before.';
comment on column calendar_changes.members is 'What was decided: price_cents, blocked, …';
comment on column calendar_changes.nights_left is
  'Of a revert: the nights that it did not restore, as the API shows them.';

create index calendar_changes_by_creation on calendar_changes (org_id, created_at, id);
create index calendar_changes_by_age on calendar_changes (created_at);

alter table calendar_changes enable row level security, force row level security;
create policy tenant on calendar_changes to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on calendar_changes to vacancy_lookout
  using (true);
grant select, insert, update (reverted_by_id) on calendar_changes to vacancy_app;
grant select, delete on calendar_changes to vacancy_lookout;

create table calendar_change_parts (
  org_id uuid not null,
  change_id uuid not null,
  unit_id uuid not null,
  part integer not null,
  date_from date not null,
  date_to date not null,
  nights integer not null,
  ranges jsonb not null,
  primary key (org_id, change_id, unit_id, part)
);
comment on table calendar_change_parts is
  'What a change replaced of one unit. Nights of a plan that were alike before and after are one entry, so '
  'a new price for a year of equal nights takes as much room as one for a night.';
comment on column calendar_change_parts.part is
  'A large change is written by several statements; a unit may be part of two.';
comment on column calendar_change_parts.ranges is
  '[{rate_plan_id, nights, before, after, price_before_cents, price_after_cents}]: the nights as a '
  'datemultirange. before and after hold what changed, null for the default. A block has no plan.';

create index calendar_change_parts_of_unit on calendar_change_parts (org_id, unit_id, change_id);

alter table calendar_change_parts enable row level security, force row level security;
create policy tenant on calendar_change_parts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on calendar_change_parts to vacancy_lookout
  using (true);
-- What a change replaced is altered only to erase the data of a guest.
grant select, insert, update (ranges) on calendar_change_parts to vacancy_app;
grant select, delete on calendar_change_parts to vacancy_lookout;

-- Deletes changes after 90 days, in steps of 500, because one may have 2,000 parts; returns how many.
create function forget_calendar_changes()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    changes as (
      delete from calendar_changes
      where (org_id, id) in (
        select org_id, id
        from calendar_changes
        where created_at < now() - interval '90 days'
        order by created_at
        limit 500
      )
      returning org_id, id
    ),
    parts as (
      delete from calendar_change_parts part
      using changes
      where part.org_id = changes.org_id and part.change_id = changes.id
    )
  select count(*) from changes
$$;
alter function forget_calendar_changes owner to vacancy_lookout;
grant execute on function forget_calendar_changes to vacancy_app;

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
  select 'events', count(*)
  from (
    select 1
    from events
    where occurred_at < now() - interval '90 days'
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
