-- Lists of a million notifications by what few of them have, as in migration 111.

create index notifications_unsent on notifications (org_id, status, created_at, id)
  where status <> 'sent';

create index notifications_values on notifications using brin (
  org_id uuid_bloom_ops (n_distinct_per_range = 200),
  account_id uuid_bloom_ops (n_distinct_per_range = 200),
  kind text_bloom_ops (n_distinct_per_range = 60),
  channel text_bloom_ops (n_distinct_per_range = 60),
  audience text_bloom_ops (n_distinct_per_range = 60)
) with (pages_per_range = 64, autosummarize = on);
