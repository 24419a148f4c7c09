-- Nights are local dates of the space, and times of arrival and departure are points in time. When the time zone
-- changes, by that of the space or because the unit moves to another space, a booking keeps its dates, so it must
-- keep its local hours too: otherwise its times lie on other days than its nights, and who writes it back as it
-- was read moves the stay. The version increases, because a body that was read before has the old times.

create or replace function bookings_follow_unit()
returns trigger
language plpgsql
as $$
declare
  old_zone text := (select timezone from spaces where org_id = old.org_id and id = old.space_id);
  new_zone text := (select timezone from spaces where org_id = new.org_id and id = new.space_id);
begin
  update bookings
  set
    check_in = (check_in at time zone old_zone) at time zone new_zone,
    check_out = (check_out at time zone old_zone) at time zone new_zone,
    version = version + case when old_zone <> new_zone then 1 else 0 end,
    updated_at = clock_timestamp()
  where org_id = new.org_id and unit_id = new.id;
  return null;
end $$;

-- The units are locked, so that no booking is written meanwhile that was computed in the old zone.
create function bookings_follow_space()
returns trigger
language plpgsql
as $$
begin
  perform 1
  from units
  where org_id = new.org_id and space_id = new.id
  order by id
  for no key update;

  update bookings booking
  set
    check_in = (booking.check_in at time zone old.timezone) at time zone new.timezone,
    check_out = (booking.check_out at time zone old.timezone) at time zone new.timezone,
    version = booking.version + 1,
    updated_at = clock_timestamp()
  from units unit
  where unit.org_id = new.org_id
    and unit.space_id = new.id
    and booking.org_id = unit.org_id
    and booking.unit_id = unit.id;
  return null;
end $$;
create trigger bookings_follow_space
  after update on spaces
  for each row
  when (old.timezone is distinct from new.timezone)
  execute function bookings_follow_space();
