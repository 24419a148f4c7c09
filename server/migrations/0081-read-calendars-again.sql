-- An imported calendar blocks at most as many rooms as the unit has, and its times are nights of the time zone. When
-- the unit gets more rooms or another time zone, the blocks of the last reading are too few or lie on other nights:
-- the calendar is read again at the next turn, within a minute, instead of half an hour.
create function read_calendars_again()
returns trigger
language plpgsql
as $$
begin
  update calendar_feeds feed
  set next_fetch_at = now()
  from units unit
  where unit.org_id = new.org_id
    and case tg_table_name when 'units' then unit.id = new.id else unit.space_id = new.id end
    and feed.org_id = unit.org_id
    and feed.unit_id = unit.id
    and feed.direction = 'import';
  return null;
end $$;
create trigger read_calendars_again_of_unit
  after update on units
  for each row
  when (new.quantity > old.quantity or new.space_id <> old.space_id)
  execute function read_calendars_again();
-- After bookings_follow_space in the order of names: units are locked before their feeds.
create trigger read_calendars_again_of_space
  after update on spaces
  for each row
  when (old.timezone is distinct from new.timezone)
  execute function read_calendars_again();
