-- What a change of the calendar replaced, as arrays with an element for each night: of unequal nights, an object for
-- each cost three quarters of the change. And payments and refunds in the audit, which an erasure reaches.

-- Values that a change replaced --------------------------------------------------------------------

create table calendar_change_values (
  org_id uuid not null,
  change_id uuid not null,
  unit_id uuid not null,
  rate_plan_id uuid,
  part integer not null,
  date_from date not null,
  date_to date not null,
  base_price_cents bigint,
  nights date[] not null,
  old_price_cents bigint[],
  price_cents bigint[],
  old_min_stay_arrival integer[],
  min_stay_arrival integer[],
  old_min_stay_through integer[],
  min_stay_through integer[],
  old_max_stay integer[],
  max_stay integer[],
  old_closed_to_arrival boolean[],
  closed_to_arrival boolean[],
  old_closed_to_departure boolean[],
  closed_to_departure boolean[],
  old_stop_sell boolean[],
  stop_sell boolean[],
  old_blocked integer[],
  blocked integer[],
  old_reason text[],
  reason text[],
  constraint calendar_change_parts_key unique nulls not distinct (org_id, change_id, unit_id, rate_plan_id, part)
);

insert into calendar_change_values
select part.org_id, part.change_id, part.unit_id, (range ->> 'rate_plan_id')::uuid, part.part,
  min(lower(dates) + day), max(lower(dates) + day),
  max(
    case
      when range -> 'before' -> 'price_cents' = 'null' then (range ->> 'price_before_cents')::bigint
      when range -> 'after' -> 'price_cents' = 'null' then (range ->> 'price_after_cents')::bigint
    end
  ),
  array_agg(lower(dates) + day),
  array_agg(
    case
      when range -> 'before' ? 'price_cents' then (range -> 'before' ->> 'price_cents')::bigint
      else (range ->> 'price_before_cents')::bigint
    end
  ),
  array_agg(
    case
      when range -> 'before' ? 'price_cents' then (range -> 'after' ->> 'price_cents')::bigint
      else (range ->> 'price_before_cents')::bigint
    end
  ),
  array_agg((range -> 'before' ->> 'min_stay_arrival')::integer),
  array_agg((range -> 'after' ->> 'min_stay_arrival')::integer),
  array_agg((range -> 'before' ->> 'min_stay_through')::integer),
  array_agg((range -> 'after' ->> 'min_stay_through')::integer),
  array_agg((range -> 'before' ->> 'max_stay')::integer),
  array_agg((range -> 'after' ->> 'max_stay')::integer),
  array_agg((range -> 'before' ->> 'closed_to_arrival')::boolean),
  array_agg((range -> 'after' ->> 'closed_to_arrival')::boolean),
  array_agg((range -> 'before' ->> 'closed_to_departure')::boolean),
  array_agg((range -> 'after' ->> 'closed_to_departure')::boolean),
  array_agg((range -> 'before' ->> 'stop_sell')::boolean),
  array_agg((range -> 'after' ->> 'stop_sell')::boolean),
  array_agg((range -> 'before' ->> 'blocked')::integer),
  array_agg((range -> 'after' ->> 'blocked')::integer),
  array_agg(range -> 'before' ->> 'reason'),
  array_agg(range -> 'after' ->> 'reason')
from calendar_change_parts part
cross join lateral jsonb_array_elements(part.ranges) range
cross join lateral unnest((range ->> 'nights')::datemultirange) dates
cross join lateral generate_series(0, upper(dates) - lower(dates) - 1) day
group by 1, 2, 3, 4, 5;
drop table calendar_change_parts;
alter table calendar_change_values rename to calendar_change_parts;

comment on table calendar_change_parts is
  'What a change replaced of the nights of one plan, or of a unit for blocked rooms: arrays with an element for each '
  'night. Arrays of what the change did not name are null.';
comment on column calendar_change_parts.rate_plan_id is 'Null for blocked rooms.';
comment on column calendar_change_parts.part is
  'A large change is written by several statements; a plan may be part of two.';
comment on column calendar_change_parts.base_price_cents is
  'The price of nights without one of their own, at the time of the change.';
comment on column calendar_change_parts.nights is 'Those whose values changed. date_from and date_to bound them.';
comment on column calendar_change_parts.old_price_cents is
  'The prices before, also of a change that named none; null for the default. Likewise the other arrays named old_.';

create index calendar_change_parts_of_unit on calendar_change_parts (org_id, unit_id, change_id);

alter table calendar_change_parts enable row level security, force row level security;
create policy tenant on calendar_change_parts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on calendar_change_parts to vacancy_lookout
  using (true);
-- What a change replaced is altered only to erase the data of a guest.
grant select, insert, update (old_reason, reason) on calendar_change_parts to vacancy_app;
grant select, delete on calendar_change_parts to vacancy_lookout;

-- Payments in the audit ----------------------------------------------------------------------------

create trigger audited after insert or update on payment_intents
for each row execute function record_audit('payment_intent', '', '', '');
create trigger audited after insert or update on payment_refunds
for each row execute function record_audit('payment_refund', '', '', '');

-- Erasing a guest ----------------------------------------------------------------------------------

comment on table audit_entries is
  'Every change of a record that people set up. Like sync_audit, which has bookings and the calendar, it is kept '
  'for good and has no foreign keys. Only the trigger writes it; only erase_from_reasons changes a row.';
create policy reasons on audit_entries for select to vacancy_lookout
  using (org_id = current_org());
create policy erasure on audit_entries for update to vacancy_lookout
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, update (name, changes) on audit_entries to vacancy_lookout;

-- Replaces what a pattern finds in the texts that people wrote, so that a guest can be erased from the history. It is
-- the only way to change a row, and reaches nothing else of it. Entries of members are about colleagues, not guests.
create or replace function erase_from_reasons(pattern text)
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with
    reasons as (
      update sync_audit
      set changes = regexp_replace(changes::text, pattern, 'erased', 'gi')::jsonb
      where org_id = current_org()
        and changes::text ~* pattern
        and action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed')
      returning 1
    ),
    entries as (
      update audit_entries
      set
        name = regexp_replace(name, pattern, 'erased', 'gi'),
        changes = regexp_replace(changes::text, pattern, 'erased', 'gi')::jsonb
      where org_id = current_org()
        and kind <> 'member'
        and (changes::text ~* pattern or name ~* pattern)
      returning 1
    )
  select (select count(*) from reasons) + (select count(*) from entries)
$$;
