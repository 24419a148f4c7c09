-- When a rate plan or target is deleted, its foreign keys remove it from bookings. Readers see the change, so it counts
-- the version and moves `updated_at` as every other change does.
create function record_deleted_reference()
returns trigger
language plpgsql
as $$
begin
  new.version := old.version + 1;
  new.updated_at := clock_timestamp();
  return new;
end $$;

create trigger record_deleted_reference before update of rate_plan_id, channel_target_id on bookings
  for each row when (
    num_nulls(new.rate_plan_id, new.channel_target_id) > num_nulls(old.rate_plan_id, old.channel_target_id)
  )
  execute function record_deleted_reference();
