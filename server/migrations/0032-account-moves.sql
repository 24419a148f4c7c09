-- A space or a unit that moves to another account takes its records with it, by the cascades of their foreign
-- keys. Readers see the change, so it moves `updated_at` as every other change does.
create function record_account_move()
returns trigger
language plpgsql
as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

create trigger record_account_move before update of account_id on units
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on rate_plans
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on charges
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on media
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on calendar_feeds
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on channel_listings
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on bookings
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
create trigger record_account_move before update of account_id on booking_conflicts
  for each row when (old.account_id <> new.account_id) execute function record_account_move();
