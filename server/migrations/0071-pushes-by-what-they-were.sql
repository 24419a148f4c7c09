-- The history of pushes by action, trigger and status: all of it was read where few or none matched.

-- What most pushes have is found in the order of the list, so the steps of a usual push have one entry in these indexes, as
-- before. Analytics counts from the first one how pushes ended.
drop index sync_audit_results;
create index sync_audit_by_action on sync_audit (org_id, action, created_at, id)
  include (account_id, unit_id, started_at, finished_at)
  where action <> 'sync.started';
create index sync_audit_by_trigger on sync_audit (org_id, trigger, created_at, id) where trigger <> 'change';
drop index sync_audit_failed;
create index sync_audit_by_status on sync_audit (org_id, status, created_at, id)
  where status in ('pending', 'failed');

-- Units in the order of their status.
create index units_by_status on units (org_id, status, id) where deleted_at is null;
