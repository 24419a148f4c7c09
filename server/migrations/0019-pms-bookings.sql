-- Bookings made at the PMS: the latest state that was heard of each, and those that found no place here.

-- One row for each booking over there. Whoever holds its lock applies it; what is older than this comes too late.
create table pms_bookings (
  org_id uuid not null,
  channel_target_id uuid not null,
  external_id text not null check (char_length(external_id) between 1 and 255),
  revision text,                               -- the one that was applied last, where revisions have names
  revised_at timestamptz,
  cancelled boolean not null default false,
  lines text[] not null default '{}',          -- what its bookings here are called
  heard_at timestamptz not null,               -- when it was applied last
  primary key (org_id, channel_target_id, external_id),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id) on delete cascade
) with (fillfactor = 90);
alter table pms_bookings enable row level security;
alter table pms_bookings force row level security;
create policy tenant on pms_bookings to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, update, delete on pms_bookings to vacancy_app;

create function booking_conflict_json(
  id uuid, org_id uuid, account_id uuid, channel_target_id uuid, external_id text, unit_id uuid, booking_id uuid, reason text,
  message text, hint text, status text, attempts integer, booking jsonb, conflicts jsonb, dismissal_reason text,
  closed_by jsonb, closed_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(c)::text from (select id, org_id, account_id, channel_target_id, external_id, unit_id, booking_id, reason,
    message, hint, status, attempts, booking, conflicts, dismissal_reason, closed_by, iso(closed_at) as closed_at,
    iso(created_at) as created_at, iso(updated_at) as updated_at) c
$$;

-- A booking of the PMS, or one line of it, that is not mapped or does not fit: open until it is, or until a person says
-- that it need not.
create table booking_conflicts (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  channel_target_id uuid not null,
  external_id text not null check (char_length(external_id) between 1 and 600), -- of the line
  pms_booking_id text not null,                -- of the whole booking
  listing text,                                -- what the PMS calls the room and the plan
  plan text,
  unit_id uuid,
  booking_id uuid,                             -- the booking here, if there is one all the same
  reason text not null check (reason in
    ('unlinked_room', 'unlinked_plan', 'no_room', 'impossible_stay', 'incomplete', 'not_processed')),
  message text not null check (char_length(message) between 1 and 1000),
  hint text not null check (char_length(hint) between 1 and 1000),
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  attempts integer not null default 1,
  booking jsonb not null,                      -- as the PMS told it, in our words
  conflicts jsonb not null default '[]',       -- who has the rooms
  dismissal_reason text check (char_length(dismissal_reason) <= 1000),
  closed_by jsonb,
  closed_at timestamptz(3),
  tried_at timestamptz(3) not null default clock_timestamp(),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  json text not null generated always as (booking_conflict_json(id, org_id, account_id, channel_target_id, external_id,
    unit_id, booking_id, reason, message, hint, status, attempts, booking, conflicts, dismissal_reason, closed_by, closed_at,
    created_at, updated_at)) stored,
  unique (org_id, id),
  check ((status = 'open') = (closed_at is null)),
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id) on delete set null (unit_id),
  foreign key (org_id, booking_id) references bookings (org_id, id) on delete set null (booking_id)
);
create unique index booking_conflicts_open_once on booking_conflicts (org_id, channel_target_id, external_id)
  where status = 'open';
create index booking_conflicts_of_pms_booking on booking_conflicts (org_id, channel_target_id, pms_booking_id);
create index booking_conflicts_by_creation on booking_conflicts (org_id, created_at, id);
create index booking_conflicts_by_update on booking_conflicts (org_id, updated_at, id);
create index booking_conflicts_of_unit on booking_conflicts (org_id, unit_id) where unit_id is not null;
create index booking_conflicts_of_booking on booking_conflicts (org_id, booking_id) where booking_id is not null;
create index booking_conflicts_open on booking_conflicts (tried_at) where status = 'open';
alter table booking_conflicts enable row level security;
alter table booking_conflicts force row level security;
create policy tenant on booking_conflicts to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
create policy lookout on booking_conflicts for select to vacancy_lookout using (true);
grant select, insert, update, delete on booking_conflicts to vacancy_app;
grant select on booking_conflicts to vacancy_lookout;
grant execute on function booking_conflict_json to vacancy_app;

alter table target_syncs
  add column bookings_polled_at timestamptz(3),      -- when the PMS was asked last
  add column bookings_heard_until timestamptz(3),    -- everything before was heard of; null: nothing yet
  add column bookings_told_at text,                  -- the address that the PMS was given for its notices
  add column bookings_told_since timestamptz(3);

-- What may fit or be mapped by now: the room or plan was linked, or something moved where there was no room.
create function booking_conflicts_to_retry()
returns table (org_id uuid, booking_conflict_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.org_id, c.id from booking_conflicts c
  where c.status = 'open' and case c.reason
    when 'unlinked_room' then exists (select 1 from channel_listings l
      where l.org_id = c.org_id and l.channel_target_id = c.channel_target_id and l.external_id = c.listing)
    when 'unlinked_plan' then exists (select 1 from channel_listings l
      where l.org_id = c.org_id and l.channel_target_id = c.channel_target_id and l.external_id = c.listing
        and l.rate_plans @> jsonb_build_array(jsonb_build_object('external_id', c.plan)))
    -- Whatever frees a room is to be pushed; a change that was under way when this was tried may bear an earlier time.
    when 'no_room' then exists (select 1 from listing_syncs s
      where s.org_id = c.org_id and s.unit_id = c.unit_id and s.changed_at > c.tried_at - interval '5 seconds')
    when 'not_processed' then c.tried_at < now() - interval '5 minutes'
    else false end
  order by c.tried_at limit 200
$$;
alter function booking_conflicts_to_retry owner to vacancy_lookout;

-- Targets whose PMS is to be asked for bookings: its notices can get lost.
create function targets_to_ask_for_bookings()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select t.org_id, t.id from channel_targets t join target_syncs s on s.org_id = t.org_id and s.channel_target_id = t.id
  where t.status in ('active', 'error') and t.config ->> 'provider' in ('channex', 'hostaway')
    and (s.bookings_polled_at is null or s.bookings_polled_at < now() - interval '60 seconds')
  order by s.bookings_polled_at nulls first limit 1000
$$;
alter function targets_to_ask_for_bookings owner to vacancy_lookout;

-- What was closed three months ago is history; a booking that ended long ago is not told of again.
create function forget_pms_bookings() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from booking_conflicts where id in (select id from booking_conflicts
    where closed_at < now() - interval '90 days' limit 10000)
$$;
alter function forget_pms_bookings owner to vacancy_lookout;
create policy forgetting on booking_conflicts for delete to vacancy_lookout using (true);
grant delete on booking_conflicts to vacancy_lookout;
create index booking_conflicts_by_closing on booking_conflicts (closed_at) where closed_at is not null;

grant execute on function booking_conflicts_to_retry, targets_to_ask_for_bookings, forget_pms_bookings to vacancy_app;
