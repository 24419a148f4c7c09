-- A reservation of an imported calendar that overlaps bookings here is a booking conflict, too.

-- What a conflict of a calendar refers to, in the account of the unit.
alter table calendar_feeds add constraint calendar_feeds_of_account unique (org_id, account_id, id);

alter table booking_conflicts drop column json;
drop function booking_conflict_json;
create function booking_conflict_json(
  id uuid, org_id uuid, account_id uuid, channel_target_id uuid, calendar_feed_id uuid, external_id text, unit_id uuid,
  booking_id uuid, reason text, message text, hint text, status text, attempts integer, booking jsonb, conflicts jsonb,
  dismissal_reason text, closed_by jsonb, closed_at timestamptz, created_at timestamptz, updated_at timestamptz)
returns text language sql immutable parallel safe as $$
  select row_to_json(c)::text from (select id, org_id, account_id, channel_target_id, calendar_feed_id, external_id, unit_id,
    booking_id, reason, message, hint, status, attempts, booking, conflicts, dismissal_reason, closed_by,
    iso(closed_at) as closed_at, iso(created_at) as created_at, iso(updated_at) as updated_at) c
$$;
grant execute on function booking_conflict_json to vacancy_app;

-- The code knows the reasons; a list here would have to change with each of them, and before the old release is gone.
alter table booking_conflicts
  add column calendar_feed_id uuid,            -- the imported calendar, instead of a target
  alter column channel_target_id drop not null,
  add check (num_nonnulls(channel_target_id, calendar_feed_id) = 1),
  drop constraint booking_conflicts_reason_check,
  add constraint booking_conflicts_reason_check check (reason ~ '^[a-z_]+$' and char_length(reason) <= 64),
  add foreign key (org_id, account_id, calendar_feed_id) references calendar_feeds (org_id, account_id, id)
    on update cascade on delete cascade,
  add column json text not null generated always as (booking_conflict_json(id, org_id, account_id, channel_target_id,
    calendar_feed_id, external_id, unit_id, booking_id, reason, message, hint, status, attempts, booking, conflicts,
    dismissal_reason, closed_by, closed_at, created_at, updated_at)) stored;
create unique index booking_conflicts_open_of_feed on booking_conflicts (org_id, calendar_feed_id, external_id)
  where status = 'open' and calendar_feed_id is not null;
create index booking_conflicts_of_feed on booking_conflicts (org_id, calendar_feed_id, external_id)
  where calendar_feed_id is not null;

-- As before, and a calendar's conflicts are looked at every minute: bookings that move tell no calendar.
create or replace function booking_conflicts_to_retry()
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
    when 'imported_reservation' then c.tried_at < now() - interval '1 minute'
    else false end
  order by c.tried_at limit 200
$$;
