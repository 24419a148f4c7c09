-- What analytics read: the stays of a period, straight from one index, however many there are besides.

-- Plain columns, because a comparison with a function of the range cannot be answered by an index under a policy.
alter table bookings
  add column arrival date not null generated always as (lower(nights)) stored,
  add column departure date not null generated always as (upper(nights)) stored,
  -- The few that a look at a fortnight after the period would miss.
  add column is_long boolean not null generated always as (upper(nights) - lower(nights) > 14) stored;
create index bookings_by_departure on bookings (org_id, is_long, departure)
  include (arrival, status, account_id, unit_id, rooms, total_cents, currency, source, channel_target_id)
  where deleted_at is null;

create index calendar_blocks_by_night on calendar_blocks (org_id, night, unit_id) include (blocked);

-- How pushes ended, the latest first.
create index sync_audit_results on sync_audit (org_id, created_at desc)
  include (action, account_id, unit_id, started_at, finished_at) where action in ('sync.completed', 'sync.failed');
