-- A search also reads the entries that its index has not merged yet, one after the other: up to 4 MB by default, which made
-- it three times slower after some thousands of writes. Merging them at 64 kB costs a write nothing that can be measured.
alter index spaces_by_text set (gin_pending_list_limit = 64);
alter index units_by_text set (gin_pending_list_limit = 64);
alter index channel_listings_by_text set (gin_pending_list_limit = 64);
alter index bookings_by_text set (gin_pending_list_limit = 64);
