-- As for units.
alter index bookings_by_text set (gin_pending_list_limit = 64);
