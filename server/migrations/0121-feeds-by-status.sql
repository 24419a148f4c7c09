-- Few of many feeds: those with an error, and imports among exports. As in migration 67, for one of the columns or both.
create index calendar_feeds_by_direction_and_status on calendar_feeds (org_id, direction, status, created_at, id);
