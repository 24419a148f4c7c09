-- Channel targets as spaces in 0101: a PMS may have one for each of thousands of properties.
alter table channel_targets
  add column name_order text collate "C" not null generated always as (order_key(name)) stored;
comment on column channel_targets.name_order is 'Like that of spaces.';
create index channel_targets_by_name_order on channel_targets (org_id, name_order, id);
drop index channel_targets_by_name;
