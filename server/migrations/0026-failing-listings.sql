-- Listings whose last push failed, for the page of today and for the failures by cause.

-- The few of them among all listings of an organization. A push that succeeds, and one that follows it,
-- leaves error_code null: it writes no index.
create index listing_syncs_failing on listing_syncs (org_id, channel_target_id)
  where error_code is not null;
