-- Each push asks for the next check of its target, and a check for what is due: both read all listings of the target.
create index listing_syncs_next_check on listing_syncs (org_id, channel_target_id, check_at) where status = 'completed';
