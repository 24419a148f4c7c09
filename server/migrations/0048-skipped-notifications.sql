-- A message that nothing can deliver is kept as skipped, with the reason.
alter table notifications drop constraint notifications_status_check,
  add constraint notifications_status_check check (status in ('queued', 'sent', 'failed', 'skipped'));
