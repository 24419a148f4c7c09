-- Bookings as guests, operators and PMSs make them, and the guard that no night is sold twice.

create function booking_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, rate_plan_id uuid, quote_id uuid, guest_name text, guest_email text,
  guest_phone text, guests integer, rooms integer, nights daterange, check_in timestamptz, check_out timestamptz,
  total_cents bigint, currency text, status text, source text, channel_target_id uuid, external_id text, notes text,
  hold_expires_at timestamptz, cancelled_at timestamptz, cancellation_reason text, created_at timestamptz,
  updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(b)::text from (select id, org_id, account_id, unit_id as "unitId", rate_plan_id as "ratePlanId",
    quote_id as "quoteId", guest_name as "guestName", guest_email as "guestEmail", guest_phone as "guestPhone", guests,
    rooms, iso(check_in) as "checkIn", iso(check_out) as "checkOut", lower(nights) as arrival, upper(nights) as departure,
    upper(nights) - lower(nights) as nights, total_cents as "totalCents", currency, status, source,
    channel_target_id as "channelTargetId", external_id as "externalId", notes, iso(hold_expires_at) as "holdExpiresAt",
    iso(cancelled_at) as "cancelledAt", cancellation_reason as "cancellationReason", iso(created_at) as "createdAt",
    iso(updated_at) as "updatedAt") b
$$;

alter table bookings
  add column rate_plan_id uuid,                  -- the plan it was sold by
  add column quote_id uuid,                      -- the quote whose price it has
  add column channel_target_id uuid,             -- where it was made, when not here
  add column external_id text check (char_length(external_id) between 1 and 255),
  add column external_revised_at timestamptz,    -- of the last revision applied; an older one changes nothing
  add column notes text check (char_length(notes) <= 10000),
  add column hold_expires_at timestamptz(3) check (hold_expires_at is null or status = 'pending'),
  add column cancelled_at timestamptz(3) check (cancelled_at is null or status = 'cancelled'),
  add column cancellation_reason text check (cancellation_reason in
    ('guest_request', 'no_payment', 'overbooking', 'host', 'no_show', 'input_error', 'other')),
  add column deleted_at timestamptz(3),          -- gone for every reader, and its rooms are free
  add foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id)
    on delete set null (rate_plan_id),
  add foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete set null (channel_target_id);
-- Plain columns beside the range: under a policy, an index is searched by comparisons that cannot leak what they compare,
-- and functions of a range are not among them.
alter table bookings
  add column arrival date not null generated always as (lower(nights)) stored,
  add column departure date not null generated always as (upper(nights)) stored,
  add column json text not null generated always as (booking_json(id, org_id, account_id, unit_id, rate_plan_id, quote_id,
    guest_name, guest_email, guest_phone, guests, rooms, nights, check_in, check_out, total_cents, currency, status, source,
    channel_target_id, external_id, notes, hold_expires_at, cancelled_at, cancellation_reason, created_at, updated_at)) stored;

-- A line of a booking at the PMS is one booking here, deleted or not.
create unique index bookings_by_external_id on bookings (org_id, channel_target_id, external_id)
  where external_id is not null;
-- A quote is honoured once at a time.
create unique index bookings_of_quote on bookings (org_id, quote_id)
  where quote_id is not null and deleted_at is null and status in ('pending', 'confirmed', 'checked_in', 'checked_out');
create index bookings_by_creation on bookings (org_id, created_at, id) where deleted_at is null;
create index bookings_by_update on bookings (org_id, updated_at, id) where deleted_at is null;
drop index bookings_by_check_in;
create index bookings_by_check_in on bookings (org_id, check_in, id) where deleted_at is null;
create index bookings_held on bookings (hold_expires_at) where status = 'pending' and deleted_at is null;
drop index bookings_of_unit_by_departure;
-- All that nights_taken asks, so that no other index looks as cheap to a plan that is made while there are few bookings
-- and kept when there are many. By the departure: those that matter are to come, while arrivals pile up with the years.
create index bookings_of_unit_by_departure on bookings (org_id, unit_id, departure, arrival) include (rooms)
  where deleted_at is null and status in ('pending', 'confirmed', 'checked_in', 'checked_out');

-- As before, and what is deleted takes nothing.
create or replace function nights_taken(the_org uuid, the_units uuid[], first_night date, last_night date)
returns table (unit_id uuid, night date, booked integer, blocked integer) language sql stable as $$
  select t.unit_id, t.night, sum(t.booked)::int, sum(t.blocked)::int from (
    -- Days are counted, not stepped through in hours: no clock change of any zone can lose one.
    select b.unit_id, first_night + n as night, b.rooms as booked, 0 as blocked
    from bookings b, generate_series(greatest(b.arrival, first_night) - first_night,
      least(b.departure - 1, last_night) - first_night) n
    where b.org_id = the_org and b.unit_id = any(the_units) and b.deleted_at is null
      and b.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
      and b.departure > first_night and b.arrival <= last_night
    union all
    select c.unit_id, c.night, 0, c.blocked from calendar_blocks c
    where c.org_id = the_org and c.unit_id = any(the_units) and c.night between first_night and last_night) t
  group by t.unit_id, t.night
$$;

-- The last word on every night: whatever wrote the booking, a night that it takes anew must have had a room free.
-- The unit is locked first, and the nights are counted after that, by a statement that sees whoever held the lock
-- before. Nights that the booking had already are not asked again, so that a stay can be shortened although an
-- imported calendar has blocked too much.
create function guard_rooms() returns trigger language plpgsql as $$
declare
  room_count integer;
  full_night date;
  held daterange := 'empty';
begin
  if current_setting('transaction_isolation') = 'repeatable read' then
    raise exception 'Rooms cannot be counted in a repeatable read: it does not see who came first.' using errcode = '25001';
  end if;
  select quantity into room_count from units where org_id = new.org_id and id = new.unit_id for no key update;
  if not found then
    raise exception 'The unit of the booking is not there.' using errcode = '23503';
  end if;
  if tg_op = 'UPDATE' and old.unit_id = new.unit_id and old.rooms >= new.rooms and old.deleted_at is null
      and old.status in ('pending', 'confirmed', 'checked_in', 'checked_out') then
    held := old.nights;
  end if;
  select t.night into full_night
    from nights_taken(new.org_id, array[new.unit_id], lower(new.nights), upper(new.nights) - 1) t
    where t.booked + t.blocked > room_count and not t.night <@ held
    order by t.night limit 1;
  if found then
    raise exception 'No room is free on %.', full_night using errcode = '23P01', constraint = 'bookings_fit_rooms';
  end if;
  return null;
end $$;
create constraint trigger bookings_fit_rooms after insert on bookings for each row
  when (new.deleted_at is null and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out'))
  execute function guard_rooms();
create constraint trigger bookings_still_fit_rooms after update on bookings for each row
  when (new.deleted_at is null and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    and (old.unit_id <> new.unit_id or old.nights <> new.nights or old.rooms <> new.rooms
      or old.deleted_at is not null or old.status not in ('pending', 'confirmed', 'checked_in', 'checked_out')))
  execute function guard_rooms();

-- Holds whose time is over and whose job was lost: ids only, across organizations.
create policy lookout on bookings for select to vacancy_lookout using (true);
grant select on bookings to vacancy_lookout;
create function holds_to_expire(late interval)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.org_id, b.id from bookings b
  where b.status = 'pending' and b.deleted_at is null and b.hold_expires_at < now() - late
  order by b.hold_expires_at limit 1000
$$;
alter function holds_to_expire owner to vacancy_lookout;
grant execute on function booking_json, guard_rooms, holds_to_expire to vacancy_app;
