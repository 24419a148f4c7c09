-- A message without a target goes to a target at the PMS of the installation before those with an address of their own:
-- naming the property of another organization, with a PMS that accepts it, must not keep its messages from it.
create or replace function webhook_targets(the_target uuid, properties text[], listings text[], pms_account text)
returns table (org_id uuid, channel_target_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with
    named as not materialized (
      select target.org_id, target.id
      from channel_targets target
      where target.id = the_target
    ),
    proven as not materialized (
      select target.org_id, target.id, target.config, target.config ->> 'base_url' is not null as is_elsewhere
      from channel_targets target
      where the_target is null
        and (
          target.status = 'active'
          or target.status = 'error' and exists (
            select 1
            from listing_syncs sync
            where sync.org_id = target.org_id
              and sync.channel_target_id = target.id
              and sync.last_synced_at is not null
          )
        )
    ),
    by_property as (
      select proven.org_id, proven.id, proven.is_elsewhere
      from proven
      where proven.config ->> 'property_ref' = any(properties)
      order by proven.is_elsewhere
      limit 2
    ),
    by_listing as (
      select distinct proven.is_elsewhere, proven.org_id, proven.id
      from channel_listings listing
      join proven on proven.org_id = listing.org_id and proven.id = listing.channel_target_id
      where listing.external_id = any(listings)
        and (pms_account is null or proven.config #>> '{credentials,account_id}' = pms_account)
      order by proven.is_elsewhere
      limit 2
    ),
    found as (
      select * from by_property
      union all
      select by_listing.org_id, by_listing.id, by_listing.is_elsewhere
      from by_listing
      where not exists (select 1 from by_property)
    )
  select * from named
  union all
  select found.org_id, found.id
  from found
  where found.is_elsewhere = (select bool_and(is_elsewhere) from found)
$$;
