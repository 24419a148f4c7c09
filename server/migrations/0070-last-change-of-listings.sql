-- Listings in the order of their last change. It was the later time of two tables, which no index has: of a million listings
-- all were joined and sorted for a page. Now one column has it.

create function record_listing_change()
returns trigger
language plpgsql
as $$
begin
  update listing_syncs
  set shown_at = new.updated_at
  where org_id = new.org_id and channel_listing_id = new.id and shown_at < new.updated_at;
  return null;
end $$;
create trigger record_listing_change after update on channel_listings
  for each row when (old.updated_at <> new.updated_at) execute function record_listing_change();

update listing_syncs sync
set shown_at = greatest(listing.updated_at, sync.shown_at)
from channel_listings listing
where listing.org_id = sync.org_id
  and listing.id = sync.channel_listing_id
  and sync.shown_at is distinct from greatest(listing.updated_at, sync.shown_at);
alter table listing_syncs
  alter column shown_at set default now(),
  alter column shown_at set not null;
comment on column listing_syncs.shown_at is
  'When anything that the listing shows changed last: its updated_at. Kept here so that a push does not write two rows.';
create index listing_syncs_by_change on listing_syncs (org_id, shown_at, channel_listing_id);

-- Of an account, in the order of their creation. These tables are rarely written.
create index channel_listings_of_account on channel_listings (org_id, account_id, created_at, id);
create index rate_plans_of_account on rate_plans (org_id, account_id, created_at, id);
create index spaces_of_account on spaces (org_id, account_id, created_at, id);
