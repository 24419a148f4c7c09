-- Bookings that were made at a PMS, and those that do not fit here.

-- Bookings of a PMS -------------------------------------------------------------------------------

create table pms_bookings (
  org_id uuid not null,
  channel_target_id uuid not null,
  external_id text not null check (char_length(external_id) between 1 and 255),
  revision text,
  revised_at timestamptz,
  cancelled boolean not null default false,
  lines text[] not null default '{}',
  known_lines jsonb not null default '[]' check (jsonb_typeof(known_lines) = 'array'),
  heard_at timestamptz not null,
  primary key (org_id, channel_target_id, external_id),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete cascade
) with (fillfactor = 90);
comment on table pms_bookings is
  'The last revision that was applied of each booking at a PMS. The next one is applied under the lock '
  'of the row; an older one is ignored.';
comment on column pms_bookings.revision is 'The name of the revision, where the PMS gives revisions names.';
comment on column pms_bookings.lines is 'The external_id of each booking here that stands for a line of it.';
comment on column pms_bookings.known_lines is
  'Its lines in the order of that revision, so that the next revision can be matched with them: the '
  'external_id of the booking here, id, listing, arrival, departure, guests and is_removed.';
comment on column pms_bookings.heard_at is 'When a revision was applied last.';

alter table pms_bookings enable row level security, force row level security;
create policy tenant on pms_bookings to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on pms_bookings to vacancy_app;


-- Booking conflicts -------------------------------------------------------------------------------

create function booking_conflict_json(
  id uuid, org_id uuid, account_id uuid, channel_target_id uuid, calendar_feed_id uuid, external_id text,
  unit_id uuid, booking_id uuid, reason text, message text, hint text, status text, attempts integer,
  booking jsonb, conflicts jsonb, dismissal_reason text, closed_by jsonb, closed_at timestamptz,
  created_at timestamptz, updated_at timestamptz
)
returns text
language sql immutable parallel safe
as $$
  select row_to_json(record)::text
  from (
    select
      id, org_id, account_id, channel_target_id, calendar_feed_id, external_id, unit_id, booking_id, reason,
      message, hint, status, attempts, booking, conflicts, dismissal_reason, closed_by,
      iso(closed_at) as closed_at, iso(created_at) as created_at, iso(updated_at) as updated_at
  ) record
$$;

create table booking_conflicts (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  account_id uuid not null,
  channel_target_id uuid,
  calendar_feed_id uuid,
  external_id text not null check (char_length(external_id) between 1 and 600),
  pms_booking_id text not null,
  listing text,
  plan text,
  unit_id uuid,
  booking_id uuid,
  booking jsonb not null,
  conflicts jsonb not null default '[]',
  reason text not null check (reason ~ '^[a-z_]+$' and char_length(reason) <= 64),
  message text not null check (char_length(message) between 1 and 1000),
  hint text not null check (char_length(hint) between 1 and 1000),
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  attempts integer not null default 1,
  tried_at timestamptz(3) not null default clock_timestamp(),
  dismissal_reason text check (char_length(dismissal_reason) <= 1000),
  closed_by jsonb,
  closed_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  json text not null generated always as (
    booking_conflict_json(
      id, org_id, account_id, channel_target_id, calendar_feed_id, external_id, unit_id, booking_id, reason,
      message, hint, status, attempts, booking, conflicts, dismissal_reason, closed_by, closed_at, created_at,
      updated_at
    )
  ) stored,
  unique (org_id, id),
  check ((status = 'open') = (closed_at is null)),
  check (num_nonnulls(channel_target_id, calendar_feed_id) = 1),
  foreign key (org_id, account_id, channel_target_id) references channel_targets (org_id, account_id, id)
    on update cascade
    on delete cascade,
  foreign key (org_id, account_id, calendar_feed_id) references calendar_feeds (org_id, account_id, id)
    on update cascade
    on delete cascade,
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete set null (unit_id),
  foreign key (org_id, booking_id) references bookings (org_id, id)
    on delete set null (booking_id)
);
comment on table booking_conflicts is
  'A line of a booking at a PMS that is not mapped or does not fit, or a reservation of an imported '
  'calendar that overlaps bookings here. Open until it fits, or until a person dismisses it.';
comment on column booking_conflicts.channel_target_id is
  'Where it was booked. Null when calendar_feed_id says it.';
comment on column booking_conflicts.external_id is 'What the PMS, or the calendar, calls the line.';
comment on column booking_conflicts.pms_booking_id is 'What it calls the whole booking.';
comment on column booking_conflicts.listing is 'What the PMS calls the room. Likewise plan.';
comment on column booking_conflicts.booking_id is 'The booking here, if there is one all the same.';
comment on column booking_conflicts.booking is 'As the PMS sent it, in the terms of the API.';
comment on column booking_conflicts.conflicts is 'The bookings that have the rooms.';
comment on column booking_conflicts.reason is
  'The code knows the reasons; a list here would have to be migrated before each new one.';

create unique index booking_conflicts_open_once
  on booking_conflicts (org_id, channel_target_id, external_id)
  where status = 'open';
create unique index booking_conflicts_open_of_feed
  on booking_conflicts (org_id, calendar_feed_id, external_id)
  where status = 'open' and calendar_feed_id is not null;
create index booking_conflicts_of_feed on booking_conflicts (org_id, calendar_feed_id, external_id)
  where calendar_feed_id is not null;
create index booking_conflicts_of_pms_booking
  on booking_conflicts (org_id, channel_target_id, pms_booking_id);
create index booking_conflicts_of_unit on booking_conflicts (org_id, unit_id) where unit_id is not null;
create index booking_conflicts_of_booking on booking_conflicts (org_id, booking_id)
  where booking_id is not null;
create index booking_conflicts_by_creation on booking_conflicts (org_id, created_at, id);
create index booking_conflicts_by_update on booking_conflicts (org_id, updated_at, id);
create index booking_conflicts_open on booking_conflicts (tried_at) where status = 'open';
create index booking_conflicts_by_closing on booking_conflicts (closed_at) where closed_at is not null;

alter table booking_conflicts enable row level security, force row level security;
create policy tenant on booking_conflicts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on booking_conflicts for select to vacancy_lookout
  using (true);
create policy forgetting on booking_conflicts for delete to vacancy_lookout
  using (true);
grant select, insert, update, delete on booking_conflicts to vacancy_app;
grant select, delete on booking_conflicts to vacancy_lookout;
grant execute on function booking_conflict_json to vacancy_app;

-- Conflicts that may be over: the room or the plan was mapped, or something changed where no room was free.
-- Those of a calendar are tried every minute, because a booking that moves notifies no calendar.
create function booking_conflicts_to_retry()
returns table (org_id uuid, booking_conflict_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select conflict.org_id, conflict.id
  from booking_conflicts conflict
  where conflict.status = 'open'
    and case conflict.reason
      when 'unlinked_room' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
      )
      when 'unlinked_plan' then exists (
        select 1
        from channel_listings listing
        where listing.org_id = conflict.org_id
          and listing.channel_target_id = conflict.channel_target_id
          and listing.external_id = conflict.listing
          and listing.rate_plans @> jsonb_build_array(jsonb_build_object('external_id', conflict.plan))
      )
      -- Whatever frees a room is to be pushed. A change that was not committed at the last try may bear an
      -- earlier time.
      when 'no_room' then exists (
        select 1
        from listing_syncs sync
        where sync.org_id = conflict.org_id
          and sync.unit_id = conflict.unit_id
          and sync.changed_at > conflict.tried_at - interval '5 seconds'
      )
      when 'not_processed' then conflict.tried_at < now() - interval '5 minutes'
      when 'imported_reservation' then conflict.tried_at < now() - interval '1 minute'
      else false
    end
  order by conflict.tried_at
  limit 200
$$;
alter function booking_conflicts_to_retry owner to vacancy_lookout;
grant execute on function booking_conflicts_to_retry to vacancy_app;

-- Deletes conflicts three months after they were closed, in steps of 10,000; returns how many.
create function forget_pms_bookings_batch()
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with deleted as (
    delete from booking_conflicts
    where id in (
      select id
      from booking_conflicts
      where closed_at < now() - interval '90 days'
      limit 10000
    )
    returning 1
  )
  select count(*)
  from deleted
$$;
alter function forget_pms_bookings_batch owner to vacancy_lookout;
grant execute on function forget_pms_bookings_batch to vacancy_app;
