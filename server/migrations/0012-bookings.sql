-- Stays of guests.

create function booking_json(
  id uuid, org_id uuid, account_id uuid, unit_id uuid, rate_plan_id uuid, quote_id uuid, guest_name text,
  guest_email text, guest_phone text, guests integer, rooms integer, nights daterange, check_in timestamptz,
  check_out timestamptz, total_cents bigint, currency text, status text, source text, channel_target_id uuid,
  external_id text, notes text, pms_notes text, hold_expires_at timestamptz, cancelled_at timestamptz,
  cancellation_reason text, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, unit_id as "unitId", rate_plan_id as "ratePlanId", quote_id as "quoteId",
      guest_name as "guestName", guest_email as "guestEmail", guest_phone as "guestPhone", guests, rooms,
      iso(check_in) as "checkIn", iso(check_out) as "checkOut", lower(nights) as arrival,
      upper(nights) as departure, upper(nights) - lower(nights) as nights, total_cents as "totalCents",
      currency, status, source, channel_target_id as "channelTargetId", external_id as "externalId", notes,
      pms_notes, iso(hold_expires_at) as "holdExpiresAt", iso(cancelled_at) as "cancelledAt",
      cancellation_reason as "cancellationReason", iso(created_at) as "createdAt",
      iso(updated_at) as "updatedAt"
  ) record
$$;

create table bookings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid not null,
  unit_id uuid not null,
  rate_plan_id uuid,
  quote_id uuid,

  nights daterange not null check (not isempty(nights) and lower_inc(nights) and not upper_inc(nights)),
  arrival date not null generated always as (lower(nights)) stored,
  departure date not null generated always as (upper(nights)) stored,
  is_long boolean not null generated always as (upper(nights) - lower(nights) > 14) stored,
  check_in timestamptz(3) not null,
  check_out timestamptz(3) not null check (check_out > check_in),
  rooms integer not null default 1 check (rooms >= 1),
  guests integer not null default 1 check (guests >= 1),
  total_cents bigint not null check (total_cents >= 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),

  guest_name text not null check (char_length(guest_name) between 1 and 255),
  guest_email text,
  guest_phone text,
  notes text check (char_length(notes) <= 10000),
  pms_notes text check (char_length(pms_notes) <= 10000),
  pms_guest jsonb check (jsonb_typeof(pms_guest) = 'object'),
  guest_email_key text generated always as (lower(guest_email)) stored,
  guest_phone_key text generated always as (regexp_replace(guest_phone, '[^0-9]', '', 'g')) stored,
  pms_email_key text generated always as (
    nullif(lower(pms_guest ->> 'guestEmail'), coalesce(lower(guest_email), ''))
  ) stored,
  pms_phone_key text generated always as (
    nullif(
      regexp_replace(pms_guest ->> 'guestPhone', '[^0-9]', '', 'g'),
      coalesce(regexp_replace(guest_phone, '[^0-9]', '', 'g'), '')
    )
  ) stored,
  guest_erased_at timestamptz(3),

  source text not null default 'direct' check (source in ('direct', 'pms', 'api', 'manual')),
  channel_target_id uuid,
  external_id text check (char_length(external_id) between 1 and 255),
  external_revised_at timestamptz,

  status text not null default 'confirmed' check (
    status in
      ('pending', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'declined', 'expired', 'no_show')
  ),
  hold_expires_at timestamptz(3) check (hold_expires_at is null or status = 'pending'),
  cancelled_at timestamptz(3) check (cancelled_at is null or status = 'cancelled'),
  cancellation_reason text check (
    cancellation_reason in
      ('guest_request', 'no_payment', 'overbooking', 'host', 'no_show', 'input_error', 'other')
  ),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  json text not null generated always as (
    booking_json(
      id, org_id, account_id, unit_id, rate_plan_id, quote_id, guest_name, guest_email, guest_phone, guests,
      rooms, nights, check_in, check_out, total_cents, currency, status, source, channel_target_id,
      external_id, notes, pms_notes, hold_expires_at, cancelled_at, cancellation_reason, created_at,
      updated_at
    )
  ) stored,

  unique (org_id, id),
  foreign key (org_id, account_id, unit_id) references units (org_id, account_id, id)
    on update cascade,
  foreign key (org_id, unit_id, rate_plan_id) references rate_plans (org_id, unit_id, id)
    on delete set null (rate_plan_id),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete set null (channel_target_id)
);
comment on table bookings is 'A stay of guests in one or more rooms of a unit.';
comment on column bookings.rate_plan_id is 'The plan that it was sold by.';
comment on column bookings.quote_id is 'The quote whose price it has.';
comment on column bookings.nights is
  'Local dates of the space, from the first night to the day of departure.';
comment on column bookings.arrival is
  'With departure: the nights as plain columns. Under a row-level security policy an index is used only for '
  'comparisons that cannot leak what they compare, and functions of a range are not among them.';
comment on column bookings.is_long is
  'Marks the few bookings that analytics would miss when it looks at a fortnight after its period.';
comment on column bookings.pms_notes is 'What the PMS says; `notes` are our own.';
comment on column bookings.pms_guest is
  'guestName, guestEmail and guestPhone as the PMS sent them last. What a person changed here stays until '
  'the PMS sends another value. Null means that the guest columns hold what the PMS sent.';
comment on column bookings.guest_email_key is
  'How a guest is searched for: in lower case, or by digits. As plain columns because of the policy, like '
  'arrival.';
comment on column bookings.pms_email_key is
  'The same of the address that only the PMS has; null when it is the guest_email_key. Likewise '
  'pms_phone_key.';
comment on column bookings.guest_erased_at is
  'When the data of the guest was erased. The nights, the rooms and the amounts stay.';
comment on column bookings.channel_target_id is 'Where the booking was made, when it was not made here.';
comment on column bookings.external_id is 'What the PMS calls it: one line of a reservation there.';
comment on column bookings.external_revised_at is
  'The time of the last revision that was applied; an older one changes nothing.';
comment on column bookings.deleted_at is 'The API does not show it any more, and its rooms are free.';

create unique index bookings_by_external_id on bookings (org_id, channel_target_id, external_id)
  where external_id is not null;
-- A quote is used by one active booking at a time.
create unique index bookings_of_quote on bookings (org_id, quote_id)
  where quote_id is not null
    and deleted_at is null
    and status in ('pending', 'confirmed', 'checked_in', 'checked_out');
create index bookings_of_unit on bookings (org_id, unit_id, check_in);
-- Holds all that nights_taken reads: otherwise a plan that is made while there are few bookings, and kept
-- when there are many, may choose an index that looked as cheap. It begins with the departure, because the
-- departures that matter are in the future, while arrivals accumulate over the years.
create index bookings_of_unit_by_departure on bookings (org_id, unit_id, departure, arrival)
  include (rooms)
  where deleted_at is null and status in ('pending', 'confirmed', 'checked_in', 'checked_out');
create index bookings_by_creation on bookings (org_id, created_at, id) where deleted_at is null;
create index bookings_by_update on bookings (org_id, updated_at, id) where deleted_at is null;
create index bookings_by_check_in on bookings (org_id, check_in, id) where deleted_at is null;
-- Filters of the list. Without these, a quote, a rare status or a day of arrival took 0.2 to 3 s to find
-- among 360,000 bookings of an organization; now it takes milliseconds.
create index bookings_by_quote on bookings (org_id, quote_id) where quote_id is not null;
create index bookings_by_pms_id on bookings (org_id, external_id) where external_id is not null;
create index bookings_by_status on bookings (org_id, status, created_at, id) where deleted_at is null;
create index bookings_by_arrival on bookings (org_id, arrival) where deleted_at is null;
create index bookings_by_guest_email on bookings (org_id, guest_email_key) where guest_email_key is not null;
create index bookings_by_guest_phone on bookings (org_id, guest_phone_key) where guest_phone_key is not null;
create index bookings_by_pms_email on bookings (org_id, pms_email_key) where pms_email_key is not null;
create index bookings_by_pms_phone on bookings (org_id, pms_phone_key) where pms_phone_key is not null;
-- For analytics: the stays of a period from one index.
create index bookings_by_departure on bookings (org_id, is_long, departure)
  include (arrival, status, account_id, unit_id, rooms, total_cents, currency, source, channel_target_id)
  where deleted_at is null;
create index bookings_held on bookings (hold_expires_at) where status = 'pending' and deleted_at is null;
create index bookings_with_guest on bookings (departure) where guest_erased_at is null;

alter table bookings enable row level security, force row level security;
create policy tenant on bookings to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on bookings for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on bookings to vacancy_app;
grant select on bookings to vacancy_lookout;
grant execute on function booking_json to vacancy_app;

-- A booking shows the space of its unit, so it changes when the unit moves to another space.
create function bookings_follow_unit()
returns trigger
language plpgsql
as $$
begin
  update bookings
  set updated_at = clock_timestamp()
  where org_id = new.org_id and unit_id = new.id;
  return null;
end $$;
create trigger bookings_follow_unit
  after update on units
  for each row
  when (old.space_id is distinct from new.space_id)
  execute function bookings_follow_unit();

-- Holds that expired and whose job was lost.
create function holds_to_expire(late interval)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select booking.org_id, booking.id
  from bookings booking
  where booking.status = 'pending'
    and booking.deleted_at is null
    and booking.hold_expires_at < now() - late
  order by booking.hold_expires_at
  limit 1000
$$;
alter function holds_to_expire owner to vacancy_lookout;
grant execute on function holds_to_expire to vacancy_app;
