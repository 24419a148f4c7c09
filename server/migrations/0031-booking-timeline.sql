-- The history of one booking: each of its entries names it in its first change.
create index sync_audit_of_booking on sync_audit (
  org_id, (coalesce(changes -> 0 ->> 'after', changes -> 0 ->> 'before')), created_at desc
)
  where action like 'booking.%';
