-- What the PMS has of each listing, and the history of every attempt.

-- What the PMS has --------------------------------------------------------------------------------

create table accepted_months (
  org_id uuid not null,
  channel_listing_id uuid not null,
  month date not null check (extract(day from month) = 1),
  nights jsonb not null,
  primary key (org_id, channel_listing_id, month),
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id)
    on delete cascade
) with (fillfactor = 80);
comment on table accepted_months is 'The nights of one month that the PMS accepted, of one listing.';
comment on column accepted_months.nights is
  '{rooms: [n, …], plans: {plan: {term: [n, …]}}} with a value for each day of the month; null when nothing '
  'is known.';

alter table accepted_months enable row level security, force row level security;
create policy tenant on accepted_months to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on accepted_months to vacancy_app;

create table listing_checks (
  channel_listing_id uuid primary key,
  org_id uuid not null,
  checked_at timestamptz(3) not null,
  in_sync boolean not null,
  differences jsonb not null default '[]',
  foreign key (org_id, channel_listing_id) references channel_listings (org_id, id)
    on delete cascade
);
comment on table listing_checks is 'What the PMS showed of a listing when it was read back last.';

alter table listing_checks enable row level security, force row level security;
create policy tenant on listing_checks to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on listing_checks to vacancy_app;


-- History -----------------------------------------------------------------------------------------

create table sync_audit (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  account_id uuid,
  channel_listing_id uuid,
  channel_target_id uuid,
  unit_id uuid,
  job_id uuid,
  action text not null,
  status text,
  mode text,
  trigger text,
  attempt integer,
  max_attempts integer,
  actor jsonb not null,
  changes jsonb not null default '[]',
  calendar jsonb,
  request jsonb,
  response jsonb,
  error jsonb,
  trace_id text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp()
);
comment on table sync_audit is
  'Every step of every push, and every change by a user. Rows cannot be changed or deleted. It '
  'has no foreign keys: the history outlives what it is about, and a key to the organization would lock the '
  'same row for every push.';
comment on column sync_audit.calendar is
  'The nights of a push: {date_from, date_to, rooms: [...], rates: [...]}.';

create index sync_audit_by_creation on sync_audit (org_id, created_at desc, id desc);
create index sync_audit_of_listing on sync_audit (org_id, channel_listing_id, created_at desc, id desc);
-- For analytics: how pushes ended.
create index sync_audit_results on sync_audit (org_id, created_at desc)
  include (action, account_id, unit_id, started_at, finished_at)
  where action in ('sync.completed', 'sync.failed');
-- For erase_from_reasons.
create index sync_audit_reasons on sync_audit (org_id, created_at)
  where action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed');

alter table sync_audit enable row level security, force row level security;
create policy tenant on sync_audit to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy reasons on sync_audit to vacancy_lookout
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert on sync_audit to vacancy_app;
grant select, update (changes) on sync_audit to vacancy_lookout;

-- Replaces what a pattern finds in the reasons that people wrote, so that a guest can be erased from the
-- history. It is the only way to change a row, and reaches nothing else of it.
create function erase_from_reasons(pattern text)
returns bigint
language sql volatile security definer
set search_path = public, pg_temp
as $$
  with changed as (
    update sync_audit
    set changes = regexp_replace(changes::text, pattern, 'erased', 'gi')::jsonb
    where org_id = current_org()
      and changes::text ~* pattern
      and action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed')
    returning 1
  )
  select count(*)
  from changed
$$;
alter function erase_from_reasons owner to vacancy_lookout;
grant execute on function erase_from_reasons to vacancy_app;
