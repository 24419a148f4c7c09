-- The lines of a reservation as the PMS described them last, so that the next revision is matched with them.

-- In the order of the last revision: the external id of the booking that stands for the line here, and `id`, `listing`,
-- `arrival`, `departure`, `guests`, `is_removed`. A name in `lines` that is missing here was written by the release before.
alter table pms_bookings
  add column known_lines jsonb not null default '[]' check (jsonb_typeof(known_lines) = 'array');

-- Bookings that change places with each other fit only when all of them have moved: the guard may wait for that.
drop trigger bookings_still_fit_rooms on bookings;
create constraint trigger bookings_still_fit_rooms after update on bookings
  deferrable initially immediate for each row
  when (new.deleted_at is null and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    and (old.unit_id <> new.unit_id or old.nights <> new.nights or old.rooms <> new.rooms
      or old.deleted_at is not null or old.status not in ('pending', 'confirmed', 'checked_in', 'checked_out')))
  execute function guard_rooms();
