-- The states of 20 targets, and analytics, counted a million listings from an index: 100 ms each.

create table listing_counts (
  org_id uuid not null,
  channel_target_id uuid not null,
  listings bigint not null
);
comment on table listing_counts is
  'The listings of a target are the sum of its rows. A listing adds a row, so that no two writes meet; now and then one of them '
  'replaces the rows of its target by their sum.';
create index listing_counts_of_target on listing_counts (org_id, channel_target_id) include (listings);
alter table listing_counts enable row level security, force row level security;
create policy tenant on listing_counts to vacancy_app
  using (org_id = current_org())
  with check (org_id = current_org());
grant select, insert, update, delete on listing_counts to vacancy_app;

create function add_to_listing_count(the_org uuid, the_target uuid, added bigint)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if random() > 0.02 then
    insert into listing_counts (org_id, channel_target_id, listings) values (the_org, the_target, added);
    return;
  end if;

  -- Rows that another transaction replaces are left to it.
  with replaced as (
    delete from listing_counts
    where ctid = any (array(
      select ctid
      from listing_counts
      where org_id = the_org and channel_target_id = the_target
      limit 1000
      for update skip locked
    ))
    returning listings
  )
  insert into listing_counts (org_id, channel_target_id, listings)
  select the_org, the_target, coalesce(sum(listings), 0) + added
  from replaced;
end $$;

create function count_listings()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if tg_op <> 'INSERT' then
    perform add_to_listing_count(old.org_id, old.channel_target_id, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform add_to_listing_count(new.org_id, new.channel_target_id, 1);
  end if;
  return null;
end $$;
create trigger count_listings after insert or delete on listing_syncs
  for each row execute function count_listings();
create trigger count_moved_listings after update on listing_syncs
  for each row when (old.channel_target_id <> new.channel_target_id) execute function count_listings();
grant execute on function add_to_listing_count to vacancy_app;

insert into listing_counts (org_id, channel_target_id, listings)
select org_id, channel_target_id, count(*) from listing_syncs group by org_id, channel_target_id;
