-- Which listing has changed, and not to what: a state was made into JSON twice for each push, and mostly nobody follows.
-- Who does reads it (features/sync/live.ts). Streams of the release before say nothing until it is replaced; they end
-- with it, and their readers read the state anew.
create or replace function announce_sync() returns trigger language plpgsql as $$
begin
  perform pg_notify('sync', new.org_id::text || ' ' || new.channel_listing_id);
  return null;
end $$;
