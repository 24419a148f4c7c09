-- How far the PMS is with each listing.

create table listing_syncs (
  channel_listing_id uuid primary key,
  org_id uuid not null,
  unit_id uuid not null,
  channel_target_id uuid not null,

  status text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed')),
  is_open boolean not null generated always as (status in ('pending', 'in_progress')) stored,
  attempts integer not null default 0,
  error_code text,
  error_message text,
  last_synced_at timestamptz(3),

  wanted_version bigint not null default 1,
  synced_version bigint not null default 0,
  mode text not null default 'full' check (mode in ('delta', 'full')),
  trigger text not null default 'change' check (
    trigger in ('manual', 'change', 'schedule', 'webhook', 'reconcile', 'retry', 'reconnect', 'connector')
  ),
  requested_by jsonb not null,
  traceparent text,
  wanted_at timestamptz(3),
  pending_since timestamptz(3),
  behind_since timestamptz(3),
  stale_since timestamptz(3),

  due_at timestamptz(3) not null default now(),
  next_attempt_at timestamptz(3),
  job_due_at timestamptz(3),
  claim uuid,
  claimed_by uuid,
  claimed_until timestamptz(3),
  pushed_at timestamptz(3),

  changed_from date,
  changed_to date,
  sending_from date,
  sending_to date,
  accepted jsonb,
  unconfirmed_fields jsonb not null default '[]' check (jsonb_typeof(unconfirmed_fields) = 'array'),
  unconfirmed_ranges jsonb,
  refused_groups jsonb,

  read_back_wanted boolean not null default false,
  reading_back boolean not null default false,
  verify_at timestamptz(3),
  unverified_since timestamptz(3),
  verified_at timestamptz(3),
  check_at timestamptz(3),
  check_from date,
  check_to date,
  failed_checks integer not null default 0,
  tasks jsonb not null default '[]',

  shown_at timestamptz(3),
  changed_at timestamptz(3) not null default now(),

  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id)
    on delete cascade
) with (fillfactor = 70);
comment on table listing_syncs is 'How far the PMS is with one listing. The row is created with the listing.';
comment on column listing_syncs.is_open is
  'Something is to be pushed or being pushed. A claim does not change this column, so it has to write no '
  'index.';
comment on column listing_syncs.wanted_version is 'Incremented by every change that concerns the listing.';
comment on column listing_syncs.synced_version is 'The wanted_version that the PMS accepted last.';
comment on column listing_syncs.mode is 'Whether the next push sends everything or only what changed.';
comment on column listing_syncs.trigger is 'What caused the next push, or the last one when none is wanted.';
comment on column listing_syncs.requested_by is 'Who caused it: {type, id, name}.';
comment on column listing_syncs.traceparent is 'The trace of the request that caused it.';
comment on column listing_syncs.wanted_at is 'When something changed last.';
comment on column listing_syncs.pending_since is
  'When the oldest change was made that no push has taken up yet.';
comment on column listing_syncs.behind_since is
  'When the oldest change was made that the PMS has not accepted yet.';
comment on column listing_syncs.stale_since is
  'Since when the listing is behind for longer than the target allows.';
comment on column listing_syncs.next_attempt_at is 'Set while a failed attempt waits to be repeated.';
comment on column listing_syncs.job_due_at is
  'When the job that pushes the listing begins; null when none is enqueued.';
comment on column listing_syncs.claim is
  'The attempt that may write a result. An attempt that lost its claim has another value, and its result is '
  'ignored.';
comment on column listing_syncs.claimed_by is 'The job of that attempt.';
comment on column listing_syncs.pushed_at is 'When the last attempt began.';
comment on column listing_syncs.changed_from is
  'With changed_to: the first and last night that changed since the last attempt began.';
comment on column listing_syncs.sending_from is
  'With sending_to: the first and last night of attempts that did not succeed yet.';
comment on column listing_syncs.accepted is
  'The content that the PMS accepted last. Nights are in accepted_months.';
comment on column listing_syncs.unconfirmed_fields is
  'Fields that were sent without learning whether the PMS took them. They are sent again until it confirms '
  'them.';
comment on column listing_syncs.unconfirmed_ranges is
  'Nights that were sent so: {date_from, date_to, rooms, rates}.';
comment on column listing_syncs.refused_groups is
  'When a PMS refuses a message about several listings, parts of it are sent to find the listing that it '
  'means. How far that search has come, by kind of message; listings with the same group were refused '
  'together.';
comment on column listing_syncs.read_back_wanted is 'The next push is to read the PMS back.';
comment on column listing_syncs.reading_back is
  'The attempts that did not succeed yet were to read the PMS back.';
comment on column listing_syncs.verify_at is
  'When the listing is read back, because its last push is in the sample.';
comment on column listing_syncs.unverified_since is
  'Since when the PMS has accepted something that it has neither shown nor confirmed.';
comment on column listing_syncs.verified_at is 'When the PMS last showed, or confirmed, what is wanted.';
comment on column listing_syncs.check_at is
  'When the listing is read back next, also while nothing is pushed; null before the first push.';
comment on column listing_syncs.check_from is
  'With check_to: the first and last night to read back. Null means all.';
comment on column listing_syncs.failed_checks is 'How many in a row.';
comment on column listing_syncs.tasks is 'Ids of the tasks by which the PMS will confirm the pushes.';
comment on column listing_syncs.shown_at is
  'When last_synced_at or error_message changed last: part of updated_at of the listing, kept here so that '
  'a push does not write two rows.';

create index listing_syncs_of_unit on listing_syncs (org_id, unit_id);
create index listing_syncs_of_target on listing_syncs (org_id, channel_target_id, channel_listing_id);
create index listing_syncs_due on listing_syncs (org_id, channel_target_id, due_at) where is_open;
create index listing_syncs_to_verify on listing_syncs (verify_at) where verify_at is not null;
create index listing_syncs_to_check on listing_syncs (check_at) where check_at is not null;
create index listing_syncs_behind on listing_syncs (behind_since)
  where behind_since is not null and stale_since is null;

alter table listing_syncs enable row level security, force row level security;
create policy tenant on listing_syncs to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on listing_syncs for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on listing_syncs to vacancy_app;
grant select on listing_syncs to vacancy_lookout;

-- The sync status as the API returns it. It is no generated column: each step of each push would build it
-- again, which was most of the cost of the update. In plpgsql, because starting the executor for an SQL
-- function takes longer than the function itself.
create function sync_json(sync listing_syncs)
returns text
language plpgsql stable parallel safe
as $$
begin
  return json_build_object(
    'channel_listing_id', sync.channel_listing_id,
    'status', sync.status,
    'last_synced_at', iso(sync.last_synced_at),
    'error_message', sync.error_message,
    'error_code', sync.error_code,
    'attempts', sync.attempts,
    'next_attempt_at', iso(sync.next_attempt_at),
    'in_sync', sync.wanted_version = sync.synced_version and sync.unverified_since is null,
    'pending_changes', sync.wanted_version - sync.synced_version,
    'behind_since', iso(sync.behind_since),
    'stale', sync.stale_since is not null,
    'verification', case
      when sync.unverified_since is not null then 'pending'
      when sync.verified_at is not null then 'verified'
    end,
    'unverified_since', iso(sync.unverified_since),
    'verified_at', iso(sync.verified_at)
  )::text;
end $$;
grant execute on function sync_json to vacancy_app;
