comment on column accepted_months.nights is
  '{rooms: [n, …], plans: {plan: {term: [n, …]}}} with a value for each day of the month, or with one that all of its days '
  'have; null when nothing is known.';
