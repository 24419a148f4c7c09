-- What few records are or have: their indexes have few entries, so that most writes do not touch them.

-- The states of targets count all listings from an index only, and read these.
create index channel_listings_paused on channel_listings (org_id, channel_target_id) where status = 'paused';

create index audit_entries_of_rare_actions on audit_entries (org_id, action, created_at, id)
  where action not in ('created', 'updated');
