-- What an attempt has sent and nobody knows the fate of: sent again until the PMS confirms it.
alter table listing_syncs add column in_doubt jsonb not null default '[]' check (jsonb_typeof(in_doubt) = 'array');

-- A push that is held (paused listing, switched off target) is not overdue. An attempt that died meanwhile is:
-- its listing must not look busy for ever.
create policy lookout on channel_listings for select to vacancy_lookout using (true);
grant select on channel_listings to vacancy_lookout;
create or replace function overdue_syncs(late interval)
returns table (org_id uuid, channel_listing_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.org_id, s.channel_listing_id from listing_syncs s
    join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
    join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
  where (s.status = 'pending' and s.due_at < now() - late and l.status <> 'paused' and t.status <> 'inactive')
     or (s.status = 'in_progress' and s.claimed_until < now() - late and s.due_at < now())
  order by s.due_at limit 1000
$$;

-- Only housekeeping forgets a sign-out.
revoke delete on revoked_tokens from vacancy_app;
