-- updated_at of a listing moves with all that it shows, also with what stands in its sync state. It is kept there: a push
-- would otherwise write two rows.
alter table listing_syncs add column shown_at timestamptz(3); -- when last_synced_at or error_message changed last

-- A booking shows the space of its unit.
create function bookings_follow_unit() returns trigger language plpgsql as $$
begin
  update bookings set updated_at = clock_timestamp() where org_id = new.org_id and unit_id = new.id;
  return null;
end $$;
create trigger bookings_follow_unit after update on units for each row
  when (old.space_id is distinct from new.space_id) execute function bookings_follow_unit();
grant execute on function bookings_follow_unit to vacancy_app;
