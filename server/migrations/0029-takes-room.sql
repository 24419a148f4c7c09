-- Whether a booking of this status takes rooms. The planner inlines the body, so that a condition with this
-- function still uses the partial indexes of bookings, whose predicates list the same statuses. A test
-- compares the function, the older functions and triggers, and the indexes with the list of the service.
create function takes_room(booking_status text)
returns boolean
language sql immutable parallel safe
return booking_status in ('pending', 'confirmed', 'checked_in', 'checked_out');
grant execute on function takes_room to vacancy_app;
