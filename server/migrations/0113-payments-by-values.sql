-- Lists of a million payments by what few of them have, as in migration 111.

create index payment_intents_unpaid on payment_intents (org_id, status, created_at, id)
  where status <> 'succeeded';

create index payment_intents_values on payment_intents using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  account_id uuid_bloom_ops (n_distinct_per_range = 200)
) with (pages_per_range = 64, autosummarize = on);
