-- Guests' data: what is asked to be forgotten, what must not come back, and how long the rest is kept.

-- When the guest of a booking was forgotten. The nights, the rooms and the amounts stay.
-- How a guest is looked for stands in plain columns: under a policy no index is searched by what a function makes.
alter table bookings
  add column guest_erased_at timestamptz(3),
  add column guest_email_key text generated always as (lower(guest_email)) stored,
  add column guest_phone_key text generated always as (regexp_replace(guest_phone, '[^0-9]', '', 'g')) stored;
create index bookings_by_guest_email on bookings (org_id, guest_email_key) where guest_email_key is not null;
create index bookings_by_guest_phone on bookings (org_id, guest_phone_key) where guest_phone_key is not null;
create index bookings_with_guest on bookings (departure) where guest_erased_at is null;

-- Whoever enters a guest again means it: the booking then holds a guest's data like any other.
create function keep_guest_again() returns trigger language plpgsql as $$
begin
  new.guest_erased_at := null;
  return new;
end $$;
create trigger keep_guest_again before update on bookings for each row
  when (old.guest_erased_at is not null and new.guest_erased_at is not null
    and (new.guest_name, new.guest_email, new.guest_phone, new.notes)
      is distinct from (old.guest_name, old.guest_email, old.guest_phone, old.notes))
  execute function keep_guest_again();

create function guest_erasure_json(
  id uuid, org_id uuid, subject text, status text, bookings integer, erased jsonb, requested_by jsonb,
  completed_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(e)::text from (select id, org_id, subject, status, bookings, erased, requested_by,
    iso(completed_at) as completed_at, iso(created_at) as created_at, iso(updated_at) as updated_at) e
$$;

-- One guest who is to be forgotten. Who that is stands in the seal only, and no longer than the work takes.
create table guest_erasures (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  subject text not null check (subject in ('email', 'phone', 'booking_id')), -- by what the guest was named
  subject_hash text not null,                  -- keyed: tells whether somebody was forgotten, to who has the key
  status text not null default 'pending' check (status in ('pending', 'running', 'completed')),
  plan bytea,                                  -- sealed: whom to look for; null once it is done
  bookings integer,                            -- how many were found; null before the search
  erased jsonb not null default '{}' check (jsonb_typeof(erased) = 'object'), -- how many rows, by kind
  requested_by jsonb not null,
  traceparent text,
  completed_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  json text not null generated always as (guest_erasure_json(id, org_id, subject, status, bookings, erased, requested_by,
    completed_at, created_at, updated_at)) stored,
  unique (org_id, id),
  check ((status = 'completed') = (plan is null)),
  check ((status = 'completed') = (completed_at is not null))
);
create index guest_erasures_by_creation on guest_erasures (org_id, created_at, id);
create index guest_erasures_by_update on guest_erasures (org_id, updated_at, id);
create index guest_erasures_to_work on guest_erasures (updated_at) where status <> 'completed';

-- The bookings of guests who were forgotten, by names that say nothing of them: neither a later word of the PMS nor a
-- restored database brings the guest back. No foreign key to what it names: it outlives that.
create table erased_bookings (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  guest_erasure_id uuid not null,
  booking_id uuid,                             -- null when it never found a place here
  channel_target_id uuid,                      -- where it was made, when not here
  pms_booking_id text,                         -- the whole booking over there
  check (booking_id is not null or pms_booking_id is not null),
  foreign key (org_id, guest_erasure_id) references guest_erasures (org_id, id)
);
create index erased_bookings_of_erasure on erased_bookings (org_id, guest_erasure_id, booking_id);
create index erased_bookings_at_pms on erased_bookings (org_id, channel_target_id, pms_booking_id)
  where pms_booking_id is not null;

do $$ declare name text; begin
  foreach name in array array['guest_erasures', 'erased_bookings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to vacancy_app using (org_id = current_org()) with check (org_id = current_org())', name);
    execute format('create policy lookout on %I for select to vacancy_lookout using (true)', name);
    execute format('grant select, insert on %I to vacancy_app', name);
    execute format('grant select on %I to vacancy_lookout', name);
  end loop;
end $$;
grant update (status, plan, bookings, erased, completed_at, version, updated_at) on guest_erasures to vacancy_app;
grant execute on function guest_erasure_json, keep_guest_again to vacancy_app;

-- What a guest's data is taken out of, beside the tables that may be written anyway.
grant update (data) on events to vacancy_app;
grant update (body) on idempotency_keys to vacancy_app;

-- The history is never changed, with this exception: in what a person wrote as a reason, who a guest is gives way to
-- one word. The patterns are ours, and nothing else of a row can be reached.
create index sync_audit_reasons on sync_audit (org_id, created_at)
  where action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed');
create policy reasons on sync_audit to vacancy_lookout using (org_id = current_org()) with check (org_id = current_org());
grant select, update (changes) on sync_audit to vacancy_lookout;
create function erase_from_reasons(pattern text) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with mended as (
    update sync_audit set changes = regexp_replace(changes::text, pattern, 'erased', 'gi')::jsonb
    where org_id = current_org() and changes::text ~* pattern
      and action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed')
    returning 1)
  select count(*) from mended
$$;
alter function erase_from_reasons owner to vacancy_lookout;
grant execute on function erase_from_reasons to vacancy_app;

-- Erasures that nobody seems to work on: ids only, across organizations.
create function guest_erasures_to_work()
returns table (org_id uuid, guest_erasure_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select e.org_id, e.id from guest_erasures e
  where e.status <> 'completed' and e.updated_at < now() - interval '60 seconds' order by e.updated_at limit 100
$$;
alter function guest_erasures_to_work owner to vacancy_lookout;

-- Guests whose stay ended so long ago that only the figures are needed: ids only, across organizations. An
-- organization may say how many days that is; what cannot be understood in its settings is the usual.
create function guests_to_forget(usual_days integer, most integer)
returns table (org_id uuid, booking_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  with kept as materialized (
    select o.id, case when o.settings #>> '{retention,guest_days}' ~ '^[1-9][0-9]{0,4}$'
      then (o.settings #>> '{retention,guest_days}')::int else usual_days end as days
    from organizations o)
  select b.org_id, b.id from bookings b join kept k on k.id = b.org_id
  where b.guest_erased_at is null and b.departure < current_date - (select min(days) from kept)
    and b.departure < current_date - k.days
  order by b.departure limit most
$$;
alter function guests_to_forget owner to vacancy_lookout;

-- Who was told what is of use as long as somebody may ask about it; answers how many went.
create policy lookout on notifications to vacancy_lookout using (true);
grant select, delete on notifications to vacancy_lookout;
create index notifications_by_age on notifications (created_at);
create function forget_notifications(days integer) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from notifications where id in (select id from notifications
      where created_at < now() - make_interval(days => days) order by created_at limit 5000) returning 1)
  select count(*) from gone
$$;
alter function forget_notifications owner to vacancy_lookout;

-- Which keys sealed what is stored: names of keys and how many values each holds, of nobody in particular.
grant select on payment_intents, webhook_endpoints, calendar_feeds to vacancy_lookout;
create function sealing_keys() returns table (kind text, key text, sealed bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select v.kind, convert_from(substring(v.value from 2 for get_byte(v.value, 0)), 'UTF8'), count(*) from (
    select 'channel_target' as kind, credentials as value from channel_targets
    union all select 'calendar_feed', address from calendar_feeds
    union all select 'payment_intent', client_secret from payment_intents
    union all select 'webhook_endpoint', secret from webhook_endpoints
    union all select 'webhook_endpoint', previous_secret from webhook_endpoints
    union all select 'guest_erasure', plan from guest_erasures) v
  where v.value is not null group by 1, 2 order by 1, 2
$$;
alter function sealing_keys owner to vacancy_lookout;
grant execute on function guest_erasures_to_work, guests_to_forget, forget_notifications, sealing_keys to vacancy_app;
