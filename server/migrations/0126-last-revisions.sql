alter table pms_bookings add column booking jsonb;
comment on column pms_bookings.booking is
  'That revision, to be applied again when a room is linked to another unit: without the guest and the notes, and without '
  'the amounts of the lines that were applied, which users may have changed.';
