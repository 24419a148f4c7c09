-- A unit or a space that is deleted stays where past bookings and quotes name it; nothing of the interface shows it.
alter table spaces add column deleted_at timestamptz(3) check (deleted_at is null or status = 'archived');
alter table units add column deleted_at timestamptz(3) check (deleted_at is null or status = 'archived');
