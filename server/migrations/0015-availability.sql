-- The search for free units: which nights a unit has a free room, kept as stretches.

create table free_stretches (
  org_id uuid not null,
  unit_id uuid not null,
  first_night date not null,
  end_night date not null check (end_night > first_night),
  primary key (org_id, unit_id, first_night),
  foreign key (org_id, unit_id) references units (org_id, id)
    on delete cascade
) with (fillfactor = 90);
comment on table free_stretches is
  'The longest runs of nights with at least one free room, of each active unit. They are derived: triggers '
  'update them in the transaction of whatever changes a booking, a block or the rooms of a unit. They only '
  'name candidates for a stay; whether the rooms are free is decided by nights_taken. A unit without '
  'bookings has one stretch, from -infinity to infinity.';
comment on column free_stretches.end_night is 'The first night that is not free any more.';

-- Two plain dates instead of a range: under a row-level security policy an index is used only for comparisons
-- that cannot leak what they compare, and those of ranges are not among them. It begins with the end, because
-- the ends that matter are in the future, while beginnings accumulate over the years.
create index free_stretches_by_end on free_stretches (org_id, end_night, first_night) include (unit_id);

alter table free_stretches enable row level security, force row level security;
create policy tenant on free_stretches to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on free_stretches to vacancy_app;

-- Computes the stretches from the first night up to the end again, and joins them with the stretches on both
-- sides.
create function refresh_stretches(the_org uuid, the_unit uuid, first_night date, end_night date)
returns void
language plpgsql
as $$
declare
  room_count integer;
  begins date;
  ends date;
begin
  -- The unit is locked first, so that the nights are counted after all bookings that were made before.
  select unit.quantity
  into room_count
  from units unit
  where unit.org_id = the_org and unit.id = the_unit and unit.status = 'active'
  for no key update;
  if not found then
    return;
  end if;

  with deleted as (
    delete from free_stretches stretch
    where stretch.org_id = the_org
      and stretch.unit_id = the_unit
      and stretch.first_night <= refresh_stretches.end_night
      and stretch.end_night >= refresh_stretches.first_night
    returning stretch.first_night, stretch.end_night
  )
  select
    least(min(deleted.first_night), refresh_stretches.first_night),
    greatest(max(deleted.end_night), refresh_stretches.end_night)
  into begins, ends
  from deleted;

  -- A stretch lies between two full nights that follow each other, or the limits.
  insert into free_stretches (org_id, unit_id, first_night, end_night)
  select the_org, the_unit, stretch.begun, stretch.ended
  from (
    select
      coalesce(lag(full_night.night) over (order by full_night.night) + 1, begins) as begun,
      full_night.night as ended
    from (
      select taken.night
      from nights_taken(
        the_org, array[the_unit], refresh_stretches.first_night, refresh_stretches.end_night - 1
      ) taken
      where taken.booked + taken.blocked >= room_count
      union all
      select ends
    ) full_night
  ) stretch
  where stretch.begun < stretch.ended;
end $$;

-- Computes all stretches of a unit again: everything is free except the nights that are full. Only an active
-- unit has stretches.
create function rebuild_stretches(the_org uuid, the_unit uuid)
returns void
language plpgsql
as $$
declare
  known daterange;
begin
  perform 1
  from units
  where org_id = the_org and id = the_unit
  for no key update;

  delete from free_stretches
  where org_id = the_org and unit_id = the_unit;

  insert into free_stretches (org_id, unit_id, first_night, end_night)
  select the_org, the_unit, '-infinity', 'infinity'
  from units
  where org_id = the_org and id = the_unit and status = 'active';

  select daterange(min(taken.begun), max(taken.ended))
  into known
  from (
    select lower(nights) as begun, upper(nights) as ended
    from bookings
    where org_id = the_org
      and unit_id = the_unit
      and deleted_at is null
      and status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    union all
    select night, night + 1
    from calendar_blocks
    where org_id = the_org and unit_id = the_unit
  ) taken;
  if not lower_inf(known) then
    perform refresh_stretches(the_org, the_unit, lower(known), upper(known));
  end if;
end $$;
grant execute on function refresh_stretches, rebuild_stretches to vacancy_app;


-- Units -------------------------------------------------------------------------------------------

create function refresh_stretches_of_unit()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    insert into free_stretches (org_id, unit_id, first_night, end_night)
    select new.org_id, new.id, '-infinity', 'infinity'
    where new.status = 'active';
  elsif old.quantity <> new.quantity or old.status <> new.status then
    perform rebuild_stretches(new.org_id, new.id);
  end if;
  return null;
end $$;
create trigger refresh_stretches
  after insert or update on units
  for each row
  execute function refresh_stretches_of_unit();


-- Bookings ----------------------------------------------------------------------------------------

create function refresh_stretches_of_booking()
returns trigger
language plpgsql
as $$
declare
  took_rooms boolean := tg_op <> 'INSERT'
    and old.deleted_at is null
    and old.status in ('pending', 'confirmed', 'checked_in', 'checked_out');
  takes_rooms boolean := tg_op <> 'DELETE'
    and new.deleted_at is null
    and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out');
begin
  if took_rooms and takes_rooms
    and (old.unit_id, old.nights, old.rooms) = (new.unit_id, new.nights, new.rooms) then
    return null;
  end if;
  if took_rooms and takes_rooms and old.unit_id = new.unit_id and old.nights && new.nights then
    perform refresh_stretches(
      new.org_id,
      new.unit_id,
      least(lower(old.nights), lower(new.nights)),
      greatest(upper(old.nights), upper(new.nights))
    );
    return null;
  end if;
  -- Of two units the one with the smaller id first: every transaction locks units in this order.
  if took_rooms and takes_rooms and old.unit_id < new.unit_id then
    perform refresh_stretches(old.org_id, old.unit_id, lower(old.nights), upper(old.nights));
    took_rooms := false;
  end if;
  if takes_rooms then
    perform refresh_stretches(new.org_id, new.unit_id, lower(new.nights), upper(new.nights));
  end if;
  if took_rooms then
    perform refresh_stretches(old.org_id, old.unit_id, lower(old.nights), upper(old.nights));
  end if;
  return null;
end $$;
create trigger refresh_stretches
  after insert or update or delete on bookings
  for each row
  execute function refresh_stretches_of_booking();


-- Blocks ------------------------------------------------------------------------------------------

-- For each statement, because blocks are written by the hundred: each unit is counted once.
create function refresh_stretches_of_blocks()
returns trigger
language plpgsql
as $$
begin
  perform refresh_stretches(block.org_id, block.unit_id, block.first_night, block.end_night)
  from (
    select org_id, unit_id, min(night) as first_night, max(night) + 1 as end_night
    from changed
    group by org_id, unit_id
    order by org_id, unit_id
  ) block;
  return null;
end $$;
create trigger refresh_stretches_insert
  after insert on calendar_blocks
  referencing new table as changed
  for each statement
  execute function refresh_stretches_of_blocks();
create trigger refresh_stretches_update
  after update on calendar_blocks
  referencing new table as changed
  for each statement
  execute function refresh_stretches_of_blocks();
create trigger refresh_stretches_delete
  after delete on calendar_blocks
  referencing old table as changed
  for each statement
  execute function refresh_stretches_of_blocks();
