-- The search over all units: which nights a unit has a room free, kept as stretches, and where its space is.

-- The longest runs of nights with at least one room free, of each active unit. Derived: triggers keep it within the
-- transaction of whatever changes a booking, a block or the rooms of a unit. It only names candidates for a stay; that
-- the rooms are free is said by nights_taken alone. A unit without bookings has one, from -infinity to infinity.
create table free_stretches (
  org_id uuid not null,
  unit_id uuid not null,
  first_night date not null,
  end_night date not null check (end_night > first_night), -- the first that is not free any more
  primary key (org_id, unit_id, first_night),
  foreign key (org_id, unit_id) references units (org_id, id) on delete cascade
) with (fillfactor = 90);
-- Plain dates instead of a range: row-level security lets an index be searched only by operators that cannot leak what
-- they compare, and those of ranges are not among them. By their end, because every end that matters is to come, while
-- beginnings pile up with the years.
create index free_stretches_by_end on free_stretches (org_id, end_night, first_night) include (unit_id);
alter table free_stretches enable row level security;
alter table free_stretches force row level security;
create policy tenant on free_stretches to vacancy_app using (org_id = current_org()) with check (org_id = current_org());
grant select, insert, update, delete on free_stretches to vacancy_app;

-- Counts the nights from the first up to the end anew, and joins what is free with the stretches on both sides.
create function refresh_stretches(the_org uuid, the_unit uuid, first_night date, end_night date)
returns void language plpgsql as $$
declare
  room_count integer;
  begins date;
  ends date;
begin
  -- The unit is locked first, so that the nights are counted as they are after everybody before.
  select quantity into room_count from units where org_id = the_org and id = the_unit and status = 'active'
    for no key update;
  if not found then return; end if;
  with gone as (
    delete from free_stretches f where f.org_id = the_org and f.unit_id = the_unit
      and f.first_night <= refresh_stretches.end_night and f.end_night >= refresh_stretches.first_night
    returning f.first_night, f.end_night)
  select least(min(g.first_night), refresh_stretches.first_night), greatest(max(g.end_night), refresh_stretches.end_night)
    into begins, ends from gone g;
  insert into free_stretches (org_id, unit_id, first_night, end_night)
    select the_org, the_unit, s.begun, s.ended from (
      select coalesce(lag(n.night) over (order by n.night) + 1, begins) as begun, n.night as ended from (
        select t.night from nights_taken(the_org, array[the_unit], refresh_stretches.first_night,
            refresh_stretches.end_night - 1) t where t.booked + t.blocked >= room_count
        union all select ends) n) s
    where s.begun < s.ended;
end $$;

-- All nights of a unit anew: free as far as one can see, less those that are full. Only an active unit has any.
create function rebuild_stretches(the_org uuid, the_unit uuid) returns void language plpgsql as $$
declare
  known daterange;
begin
  perform 1 from units where org_id = the_org and id = the_unit for no key update;
  delete from free_stretches where org_id = the_org and unit_id = the_unit;
  insert into free_stretches (org_id, unit_id, first_night, end_night)
    select the_org, the_unit, '-infinity', 'infinity' from units
    where org_id = the_org and id = the_unit and status = 'active';
  select daterange(min(begun), max(ended)) into known from (
    select lower(nights) as begun, upper(nights) as ended from bookings
      where org_id = the_org and unit_id = the_unit and deleted_at is null
        and status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    union all select night, night + 1 from calendar_blocks where org_id = the_org and unit_id = the_unit) n;
  if not lower_inf(known) then
    perform refresh_stretches(the_org, the_unit, lower(known), upper(known));
  end if;
end $$;

create function follow_unit() returns trigger language plpgsql as $$
begin
  perform rebuild_stretches(new.org_id, new.id);
  return null;
end $$;
create function begin_stretches() returns trigger language plpgsql as $$
begin
  insert into free_stretches (org_id, unit_id, first_night, end_night)
  values (new.org_id, new.id, '-infinity', 'infinity');
  return null;
end $$;
create trigger begin_stretches after insert on units for each row
  when (new.status = 'active') execute function begin_stretches();
create trigger follow_unit after update on units for each row
  when (old.quantity <> new.quantity or old.status <> new.status) execute function follow_unit();

create function follow_booking() returns trigger language plpgsql as $$
begin
  -- Of two units the one with the smaller id first, as everybody locks them.
  if tg_op = 'UPDATE' and old.unit_id < new.unit_id then
    perform refresh_stretches(old.org_id, old.unit_id, lower(old.nights), upper(old.nights));
  end if;
  if tg_op = 'UPDATE' and old.unit_id = new.unit_id and old.nights && new.nights then
    perform refresh_stretches(new.org_id, new.unit_id, least(lower(old.nights), lower(new.nights)),
      greatest(upper(old.nights), upper(new.nights)));
    return null;
  end if;
  if tg_op <> 'DELETE' then
    perform refresh_stretches(new.org_id, new.unit_id, lower(new.nights), upper(new.nights));
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and old.unit_id >= new.unit_id then
    perform refresh_stretches(old.org_id, old.unit_id, lower(old.nights), upper(old.nights));
  end if;
  return null;
end $$;
create trigger follow_booking_made after insert on bookings for each row
  when (new.deleted_at is null and new.status in ('pending', 'confirmed', 'checked_in', 'checked_out'))
  execute function follow_booking();
create trigger follow_booking after update on bookings for each row
  when (old.unit_id <> new.unit_id or old.nights <> new.nights or old.rooms <> new.rooms
    or (old.deleted_at is null) <> (new.deleted_at is null)
    or (old.status in ('pending', 'confirmed', 'checked_in', 'checked_out'))
      <> (new.status in ('pending', 'confirmed', 'checked_in', 'checked_out')))
  execute function follow_booking();
create trigger follow_booking_gone after delete on bookings for each row
  when (old.deleted_at is null and old.status in ('pending', 'confirmed', 'checked_in', 'checked_out'))
  execute function follow_booking();

-- Blocks come by the hundred, so a statement counts each unit once.
create function follow_blocks() returns trigger language plpgsql as $$
begin
  perform refresh_stretches(b.org_id, b.unit_id, b.first_night, b.end_night) from (
    select org_id, unit_id, min(night) as first_night, max(night) + 1 as end_night from changed
    group by org_id, unit_id order by org_id, unit_id) b;
  return null;
end $$;
create trigger follow_blocks_made after insert on calendar_blocks referencing new table as changed
  for each statement execute function follow_blocks();
create trigger follow_blocks after update on calendar_blocks referencing new table as changed
  for each statement execute function follow_blocks();
create trigger follow_blocks_gone after delete on calendar_blocks referencing old table as changed
  for each statement execute function follow_blocks();

-- What a place is called, as it is searched: byte by byte, in lower case. Generated, so that it cannot go stale.
alter table spaces
  add column name_key text collate "C" not null generated always as (lower(name)) stored,
  add column city_key text collate "C" generated always as (lower(city)) stored,
  add column state_key text collate "C" generated always as (lower(state)) stored,
  add column country_key text collate "C" generated always as (lower(country)) stored;
create index spaces_named on spaces (org_id, name_key);
create index spaces_of_city on spaces (org_id, city_key);
create index spaces_of_state on spaces (org_id, state_key);
create index spaces_of_country on spaces (org_id, country_key);

grant execute on function refresh_stretches, rebuild_stretches, begin_stretches, follow_unit, follow_booking, follow_blocks to vacancy_app;

-- Units that are there already. Their owner, too, is held by the policies, and sees them only without.
do $$ declare name text; begin
  foreach name in array array['units', 'bookings', 'calendar_blocks', 'free_stretches'] loop
    execute format('alter table %I no force row level security', name);
  end loop;
  perform rebuild_stretches(org_id, id) from units where status = 'active';
  foreach name in array array['units', 'bookings', 'calendar_blocks', 'free_stretches'] loop
    execute format('alter table %I force row level security', name);
  end loop;
end $$;
