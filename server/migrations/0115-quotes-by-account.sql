-- The quotes of an account without any, of a million, as in migration 111.

create index quotes_values on quotes using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  account_id uuid_bloom_ops (n_distinct_per_range = 200)
) with (pages_per_range = 64, autosummarize = on);
