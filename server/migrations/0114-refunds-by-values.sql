-- Lists of a million refunds by what few of them have, as in migration 111.

create index payment_refunds_unpaid on payment_refunds (org_id, status, created_at, id)
  where status <> 'succeeded';

create index payment_refunds_values on payment_refunds using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  account_id uuid_bloom_ops (n_distinct_per_range = 200),
  reason text_bloom_ops (n_distinct_per_range = 60)
) with (pages_per_range = 64, autosummarize = on);
