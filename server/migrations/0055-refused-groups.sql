-- When the PMS refuses a message about several listings as a whole, whose values it means is found by sending parts of it.
-- How far that came, by kind of message, so that the next round goes on with it: listings of one group were refused together.
alter table listing_syncs add column refused_groups jsonb;
