-- Accounts as spaces in 0101: each owner of a unit may have one.
alter table accounts
  add column name_order text collate "C" not null generated always as (order_key(name)) stored;
comment on column accounts.name_order is 'Like that of spaces.';
create index accounts_by_name_order on accounts (org_id, name_order, id);
