-- Data of guests: what is to be erased, what must not come back, and how long the rest is kept.

-- Erasures ----------------------------------------------------------------------------------------

create function guest_erasure_json(
  id uuid, org_id uuid, subject text, status text, bookings integer, erased jsonb, requested_by jsonb,
  completed_at timestamptz, created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, subject, status, bookings, erased, requested_by, iso(completed_at) as completed_at,
      iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table guest_erasures (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  subject text not null check (subject in ('email', 'phone', 'booking_id')),
  subject_hash text not null,
  plan bytea,
  requested_by jsonb not null,
  traceparent text,
  status text not null default 'pending' check (status in ('pending', 'running', 'completed')),
  bookings integer,
  erased jsonb not null default '{}' check (jsonb_typeof(erased) = 'object'),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  json text not null generated always as (
    guest_erasure_json(
      id, org_id, subject, status, bookings, erased, requested_by, completed_at, created_at, updated_at
    )
  ) stored,
  unique (org_id, id),
  check ((status = 'completed') = (plan is null)),
  check ((status = 'completed') = (completed_at is not null))
);
comment on table guest_erasures is
  'One guest whose data is to be erased. Who that is can be read only from the encrypted plan, and only '
  'until it is done.';
comment on column guest_erasures.subject is 'What the guest was named by.';
comment on column guest_erasures.subject_hash is
  'A keyed hash of that: with the key one can check whether a given guest was erased.';
comment on column guest_erasures.plan is 'Encrypted: whom to look for. Null when the erasure is completed.';
comment on column guest_erasures.bookings is 'How many bookings were found; null before the search.';
comment on column guest_erasures.erased is 'How many rows were changed, by kind.';

create index guest_erasures_by_creation on guest_erasures (org_id, created_at, id);
create index guest_erasures_by_update on guest_erasures (org_id, updated_at, id);
create index guest_erasures_to_work on guest_erasures (updated_at) where status <> 'completed';

alter table guest_erasures enable row level security, force row level security;
create policy tenant on guest_erasures to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on guest_erasures for select to vacancy_lookout
  using (true);
grant
  select,
  insert,
  update (status, plan, bookings, erased, completed_at, version, updated_at)
  on guest_erasures to vacancy_app;
grant select on guest_erasures to vacancy_lookout;
grant execute on function guest_erasure_json to vacancy_app;

-- Erasures that no worker seems to work on.
create function guest_erasures_to_work()
returns table (org_id uuid, guest_erasure_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select erasure.org_id, erasure.id
  from guest_erasures erasure
  where erasure.status <> 'completed' and erasure.updated_at < now() - interval '60 seconds'
  order by erasure.updated_at
  limit 100
$$;
alter function guest_erasures_to_work owner to vacancy_lookout;
grant execute on function guest_erasures_to_work to vacancy_app;


-- Erased bookings ---------------------------------------------------------------------------------

create table erased_bookings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  guest_erasure_id uuid not null,
  booking_id uuid,
  channel_target_id uuid,
  pms_booking_id text,
  check (booking_id is not null or pms_booking_id is not null),
  foreign key (org_id, guest_erasure_id) references guest_erasures (org_id, id)
);
comment on table erased_bookings is
  'Bookings of guests whose data was erased, so that neither a later revision of the PMS nor a restored '
  'database brings it back. It has no foreign keys to what it names: it outlives that.';
comment on column erased_bookings.booking_id is 'Null when the booking never fitted here.';
comment on column erased_bookings.channel_target_id is
  'Where the booking was made, when it was not made here.';
comment on column erased_bookings.pms_booking_id is 'What the PMS calls the whole booking.';

create index erased_bookings_of_erasure on erased_bookings (org_id, guest_erasure_id, booking_id);
create index erased_bookings_at_pms on erased_bookings (org_id, channel_target_id, pms_booking_id)
  where pms_booking_id is not null;

alter table erased_bookings enable row level security, force row level security;
create policy tenant on erased_bookings to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on erased_bookings for select to vacancy_lookout
  using (true);
grant select, insert on erased_bookings to vacancy_app;
grant select on erased_bookings to vacancy_lookout;


-- Retention ---------------------------------------------------------------------------------------

-- Bookings whose guest left so long ago that only the figures are needed. How many days that is may be a
-- setting of the organization; a setting that cannot be understood counts as the usual.
create function guests_to_forget(usual_days integer, most integer)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with retention as materialized (
    select
      organization.id,
      case
        when organization.settings #>> '{retention,guest_days}' ~ '^[1-9][0-9]{0,4}$'
          then (organization.settings #>> '{retention,guest_days}')::int
        else usual_days
      end as days
    from organizations organization
  )
  select booking.org_id, booking.id
  from bookings booking
  join retention on retention.id = booking.org_id
  where booking.guest_erased_at is null
    and booking.departure < current_date - (select min(days) from retention)
    and booking.departure < current_date - retention.days
  order by booking.departure
  limit most
$$;
alter function guests_to_forget owner to vacancy_lookout;
grant execute on function guests_to_forget to vacancy_app;
