-- Units as spaces in 0101.
alter table units
  add column name_order text collate "C" not null generated always as (order_key(name)) stored;
comment on column units.name_order is 'Like that of spaces.';
create index units_by_name_order on units (org_id, name_order, id);
drop index units_by_name;
select run_in_each_organization($$
  update units set name = name where search_text ~ '[łøđðħıßæœþ]'
$$);
