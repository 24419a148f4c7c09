-- A search also reads the entries that its index has not merged yet, one after the other: up to 4 MB by default, which made
-- it three times slower after some thousands of writes. Merging them at 64 kB costs a write nothing that can be measured.
-- One index for each migration, because the statement locks it until the commit: two would deadlock with writes.
alter index units_by_text set (gin_pending_list_limit = 64);
