-- What is known of the PMS behind each target: the calls it allows, whether it answers, what is due when.

-- The lock of a target (pg_advisory_lock). Changes that concern the target share it; a worker that looks for
-- due pushes takes it alone.
create function target_lock(target uuid)
returns bigint
language sql immutable parallel safe
return hashtextextended('sync ' || target::text, 0);
grant execute on function target_lock to vacancy_app;


-- Rate limits -------------------------------------------------------------------------------------

create table call_budgets (
  org_id uuid not null references organizations (id),
  key text not null,
  budgets jsonb not null default '{}',
  used_at timestamptz(3) not null default now(),
  primary key (org_id, key)
) with (fillfactor = 70);
comment on table call_budgets is
  'How many calls a PMS still allows. Targets of an organization that lead to the same place share a row.';
comment on column call_budgets.key is 'channel_targets.budget_key';
comment on column call_budgets.budgets is
  'By kind of call: {sent: [ms], blocked_until: ms, refusals, calls, kept}.';

alter table call_budgets enable row level security, force row level security;
create policy tenant on call_budgets to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on call_budgets to vacancy_app;


-- State of a target -------------------------------------------------------------------------------

create table target_syncs (
  channel_target_id uuid primary key,
  org_id uuid not null,
  claimed_by uuid,
  claimed_until timestamptz(3),
  failures integer not null default 0,
  opened_at timestamptz(3),
  probe_at timestamptz(3),
  waits_until timestamptz(3),
  reconcile_at timestamptz(3) not null,
  reconciled_at timestamptz(3),
  check_job_at timestamptz(3),
  checks_begun_at timestamptz(3),
  bookings_polled_at timestamptz(3),
  bookings_heard_until timestamptz(3),
  bookings_told_at text,
  bookings_told_since timestamptz(3),
  foreign key (org_id, channel_target_id) references channel_targets (org_id, id)
    on delete cascade
) with (fillfactor = 70);
comment on table target_syncs is
  'What is known of the PMS behind one target: which job calls it now, whether it answers, and what is due '
  'when. The row is created with the target.';
comment on column target_syncs.claimed_by is 'The job that calls the PMS now; there is one at a time.';
comment on column target_syncs.failures is 'How many calls in a row failed.';
comment on column target_syncs.opened_at is 'Since when the circuit breaker is open: only probes are sent.';
comment on column target_syncs.probe_at is 'When the next probe may be sent.';
comment on column target_syncs.waits_until is 'When the rate limit of the PMS allows the next call.';
comment on column target_syncs.reconcile_at is 'When everything is read back and compared next.';
comment on column target_syncs.check_job_at is
  'When the job that reads listings of this target back begins; null when none is enqueued.';
comment on column target_syncs.checks_begun_at is 'When such a job last began.';
comment on column target_syncs.bookings_polled_at is 'When the PMS was last asked for bookings.';
comment on column target_syncs.bookings_heard_until is
  'All bookings that the PMS had before this time are known; null when it has not been asked yet.';
comment on column target_syncs.bookings_told_at is
  'The address to which the PMS sends its notices of bookings, as we gave it to the PMS at '
  'bookings_told_since.';

create index target_syncs_to_reconcile on target_syncs (reconcile_at);
create index target_syncs_of_org on target_syncs (org_id, channel_target_id);

alter table target_syncs enable row level security, force row level security;
create policy tenant on target_syncs to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy lookout on target_syncs for select to vacancy_lookout
  using (true);
grant select, insert, update, delete on target_syncs to vacancy_app;
grant select on target_syncs to vacancy_lookout;

-- Targets whose PMS is to be read back as a whole, which happens once a day.
create function targets_to_reconcile()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select state.org_id, state.channel_target_id
  from target_syncs state
  join channel_targets target on target.org_id = state.org_id and target.id = state.channel_target_id
  where state.reconcile_at <= now() and target.status <> 'inactive'
  order by state.reconcile_at
  limit 100
$$;
alter function targets_to_reconcile owner to vacancy_lookout;
grant execute on function targets_to_reconcile to vacancy_app;

-- Targets whose PMS is to be asked for bookings: its notices can get lost.
create function targets_to_ask_for_bookings()
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select target.org_id, target.id
  from channel_targets target
  join target_syncs state on state.org_id = target.org_id and state.channel_target_id = target.id
  where target.status in ('active', 'error')
    and target.config ->> 'provider' in ('channex', 'hostaway')
    and (state.bookings_polled_at is null or state.bookings_polled_at < now() - interval '60 seconds')
  order by state.bookings_polled_at nulls first
  limit 1000
$$;
alter function targets_to_ask_for_bookings owner to vacancy_lookout;
grant execute on function targets_to_ask_for_bookings to vacancy_app;
