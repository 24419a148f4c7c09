-- Lists of an organization with a million records that few or none of them match.

-- Finds units of a type, of a status, or of both, in the order of their creation: a page is merged from those of all values
-- of the other column.
drop index units_by_status;
create index units_by_type_and_status on units (org_id, type, status, created_at, id)
  where deleted_at is null;
drop index bookings_by_status;
create index bookings_by_source_and_status on bookings (org_id, source, status, created_at, id)
  where deleted_at is null;

-- Only some bookings have an entry here.
create index bookings_by_cancellation on bookings (org_id, cancellation_reason, created_at, id)
  where deleted_at is null and cancellation_reason is not null;
create index bookings_of_channel on bookings (org_id, channel_target_id, created_at, id)
  where deleted_at is null and channel_target_id is not null;

-- Also in the order of the status; both tables are rarely written.
create index spaces_by_status on spaces (org_id, status, id)
  where deleted_at is null;
create index rate_plans_by_status on rate_plans (org_id, status, id);

-- As in migration 47.
alter table spaces alter column status set (n_distinct = 4);
alter table rate_plans alter column status set (n_distinct = 3);
alter table channel_listings alter column status set (n_distinct = 4);
alter table units alter column type set (n_distinct = 14);
alter table bookings alter column source set (n_distinct = 4);
alter table bookings alter column cancellation_reason set (n_distinct = 7);
alter table listing_syncs alter column status set (n_distinct = 4);

-- The page of sync states sorted all listings.
create index listing_syncs_by_status on listing_syncs (org_id, status, changed_at, channel_listing_id);

-- The history of a unit, and what failed.
create index sync_audit_of_unit on sync_audit (org_id, unit_id, created_at, id);
create index sync_audit_failed on sync_audit (org_id, created_at, id) where status = 'failed';
