comment on column calendar_blocks.source is
  'The word operator, or the id of the calendar feed or of the booking conflict.';

-- The worker tries them again at once, which blocks the rooms of those that still do not fit.
select run_in_each_organization($$
  update booking_conflicts
  set tried_at = '2000-01-01'
  where status = 'open' and reason = 'no_room'
$$);
