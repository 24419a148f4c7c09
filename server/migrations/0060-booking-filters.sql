-- Indexes for the filters of bookings that none had. Among 360,000 bookings of an organization, a quote, a status that
-- few have or a day of arrival took 0.2 to 3 s to find; now they take milliseconds.

create index bookings_by_quote on bookings (org_id, quote_id) where quote_id is not null;
create index bookings_by_pms_id on bookings (org_id, external_id) where external_id is not null;
create index bookings_by_status on bookings (org_id, status, created_at, id) where deleted_at is null;
create index bookings_by_arrival on bookings (org_id, arrival) where deleted_at is null;
