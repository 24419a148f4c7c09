-- Today shows guests who are checked in, also after their departure. They are found among those in house, not among all stays.

create index bookings_in_house on bookings (org_id, unit_id, departure)
  include (is_long, arrival, guests, check_in, check_out, created_at, id)
  where deleted_at is null and status = 'checked_in';
