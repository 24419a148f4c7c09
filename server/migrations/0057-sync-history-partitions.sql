-- The history of pushes and decisions is partitioned by year. It is kept for good: a year that an installation no longer
-- needs can be detached, and indexes do not grow for ever.

alter table sync_audit drop constraint sync_audit_pkey;

select put_aside('sync_audit');
create table sync_audit (
  like partitions.sync_audit_first including defaults including constraints including comments,
  primary key (org_id, id, created_at)
) partition by range (created_at);
comment on table sync_audit is
  'Every step of every push, and every change by a user. Rows cannot be changed or deleted. It '
  'has no foreign keys: the history outlives what it is about, and a key to the organization would lock the '
  'same row for every push.';

create index sync_audit_by_creation on sync_audit (org_id, created_at desc, id desc);
create index sync_audit_of_listing on sync_audit (org_id, channel_listing_id, created_at desc, id desc);
-- For analytics: how pushes ended.
create index sync_audit_results on sync_audit (org_id, created_at desc)
  include (action, account_id, unit_id, started_at, finished_at)
  where action in ('sync.completed', 'sync.failed');
-- For erase_from_reasons.
create index sync_audit_reasons on sync_audit (org_id, created_at)
  where action in ('calendar.changed', 'sales.stopped', 'sales.resumed', 'booking.conflict_dismissed');
-- The history of one booking: each of its entries names it in its first change.
create index sync_audit_of_booking on sync_audit (
  org_id, (coalesce(changes -> 0 ->> 'after', changes -> 0 ->> 'before')), created_at desc
)
  where action like 'booking.%';
-- For the audit, which has them among the changes of other records.
create index sync_audit_decisions on sync_audit (org_id, created_at, id)
  where action !~ '^(sync|listing|target)[.]';

alter table sync_audit enable row level security, force row level security;
create policy tenant on sync_audit to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
create policy reasons on sync_audit to vacancy_lookout
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert on sync_audit to vacancy_app;
grant select, update (changes) on sync_audit to vacancy_lookout;

insert into partitioned_tables (name, period, ahead, kept_for) values ('sync_audit', 'year', 1, null);
select attach_first_partition('sync_audit');
