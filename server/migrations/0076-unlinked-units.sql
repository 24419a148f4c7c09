-- The calendar of units without a listing: all units and all listings were read to find few or none, 300 ms of a million each.

create table unlinked_units (
  org_id uuid not null,
  unit_id uuid not null,
  primary key (org_id, unit_id)
);
comment on table unlinked_units is
  'Every unit without a listing, and some with one: of two listings that end at the same time, neither could tell whether it '
  'is the last one. Readers check each unit. Triggers keep it, also for units that are imported or moved.';
alter table unlinked_units enable row level security, force row level security;
create policy tenant on unlinked_units to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, delete on unlinked_units to vacancy_app;

create function units_are_unlinked()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if tg_table_name = 'units' then
    if tg_op = 'INSERT' then
      insert into unlinked_units (org_id, unit_id) values (new.org_id, new.id);
    else
      delete from unlinked_units where org_id = old.org_id and unit_id = old.id;
    end if;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into unlinked_units (org_id, unit_id) values (old.org_id, old.unit_id) on conflict do nothing;
  end if;
  if tg_op <> 'DELETE' then
    delete from unlinked_units where org_id = new.org_id and unit_id = new.unit_id;
  end if;
  return null;
end $$;
create trigger units_are_unlinked after insert or delete on units
  for each row execute function units_are_unlinked();
create trigger listings_link_units after insert or delete on channel_listings
  for each row execute function units_are_unlinked();
create trigger listings_link_other_units after update on channel_listings
  for each row when (old.unit_id <> new.unit_id) execute function units_are_unlinked();

insert into unlinked_units (org_id, unit_id)
select org_id, id from units where deleted_at is null
except
select org_id, unit_id from channel_listings;
