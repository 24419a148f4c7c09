-- How many rooms are taken, and the guard that no night is sold twice.

-- How many rooms of some units are taken, for each night from the first to the last; nights with nothing
-- taken are left out. It is the only source of availability: nothing is counted ahead, so nothing can be
-- wrong.
create function nights_taken(the_org uuid, the_units uuid[], first_night date, last_night date)
returns table (unit_id uuid, night date, booked integer, blocked integer)
language sql stable
as $$
  select taken.unit_id, taken.night, sum(taken.booked)::int, sum(taken.blocked)::int
  from (
    -- Days are counted, not stepped through in hours: no change of the clock in any time zone can lose one.
    select booking.unit_id, first_night + day as night, booking.rooms as booked, 0 as blocked
    from
      bookings booking,
      generate_series(
        greatest(booking.arrival, first_night) - first_night,
        least(booking.departure - 1, last_night) - first_night
      ) day
    where booking.org_id = the_org
      and booking.unit_id = any(the_units)
      and booking.deleted_at is null
      and booking.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
      and booking.departure > first_night
      and booking.arrival <= last_night
    union all
    select block.unit_id, block.night, 0, block.blocked
    from calendar_blocks block
    where block.org_id = the_org
      and block.unit_id = any(the_units)
      and block.night between first_night and last_night
  ) taken
  group by taken.unit_id, taken.night
$$;
grant execute on function nights_taken to vacancy_app;

-- The last check of every night: whatever wrote the booking, each night that it newly occupies must have had a
-- free room. The unit is locked first. The nights are counted after that, by a statement of its own, which
-- sees the bookings of those who held the lock before. Nights that the booking had already are not checked
-- again, so that a stay can be shortened although an imported calendar blocks too many rooms.
create function guard_rooms()
returns trigger
language plpgsql
as $$
declare
  room_count integer;
  full_night date;
  held daterange := 'empty';
begin
  if current_setting('transaction_isolation') = 'repeatable read' then
    raise exception 'Rooms cannot be counted in a repeatable read: it does not see who came first.'
      using errcode = '25001';
  end if;

  select unit.quantity
  into room_count
  from units unit
  where unit.org_id = new.org_id and unit.id = new.unit_id
  for no key update;
  if not found then
    raise exception 'The unit of the booking is not there.' using errcode = '23503';
  end if;

  if tg_op = 'UPDATE'
    and old.unit_id = new.unit_id
    and old.rooms >= new.rooms
    and old.deleted_at is null
    and old.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
  then
    held := old.nights;
  end if;

  select taken.night
  into full_night
  from nights_taken(new.org_id, array[new.unit_id], lower(new.nights), upper(new.nights) - 1) taken
  where taken.booked + taken.blocked > room_count and not taken.night <@ held
  order by taken.night
  limit 1;
  if found then
    raise exception 'No room is free on %.', full_night
      using errcode = '23P01', constraint = 'bookings_fit_rooms';
  end if;
  return null;
end $$;
create constraint trigger bookings_fit_rooms
  after insert on bookings
  for each row
  when (
    new.deleted_at is null
    and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
  )
  execute function guard_rooms();
-- Deferrable, because bookings that change places with each other fit only when all of them have moved.
create constraint trigger bookings_still_fit_rooms
  after update on bookings
  deferrable initially immediate
  for each row
  when (
    new.deleted_at is null
    and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    and (
      old.unit_id <> new.unit_id
      or old.nights <> new.nights
      or old.rooms <> new.rooms
      or old.deleted_at is not null
      or old.status not in ('pending', 'confirmed', 'checked_in', 'checked_out')
    )
  )
  execute function guard_rooms();

-- Nights of a unit on which it cannot be booked, for any reason, from the first to the last.
create function nights_not_available(the_org uuid, the_unit uuid, first_night date, last_night date)
returns table (night date)
language sql stable
as $$
  select day::date
  from units unit
  join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
  cross join generate_series(first_night, last_night, interval '1 day') day
  left join nights_taken(the_org, array[the_unit], first_night, last_night) taken on taken.night = day::date
  left join (
    select decided.night, count(*) as plans
    from calendar_nights decided
    join rate_plans plan
      on plan.org_id = decided.org_id
      and plan.id = decided.rate_plan_id
      and plan.status = 'active'
    where decided.org_id = the_org
      and decided.unit_id = the_unit
      and decided.night between first_night and last_night
      and decided.stop_sell
    group by decided.night
  ) closed on closed.night = day::date
  where unit.org_id = the_org
    and unit.id = the_unit
    and (
      unit.status <> 'active'
      or space.status <> 'active'
      or coalesce(taken.booked, 0) + coalesce(taken.blocked, 0) >= unit.quantity
      or coalesce(closed.plans, 0) >= (
        select count(*)
        from rate_plans plan
        where plan.org_id = the_org and plan.unit_id = the_unit and plan.status = 'active'
      )
      or exists (
        select 1
        from sales_stops stop
        where stop.org_id = the_org
          and stop.lifted_at is null
          and stop.channel_target_id is null
          and (stop.space_id is null or stop.space_id = unit.space_id)
          and (stop.unit_id is null or stop.unit_id = unit.id)
      )
    )
$$;
grant execute on function nights_not_available to vacancy_app;
